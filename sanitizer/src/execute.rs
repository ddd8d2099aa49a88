//! Runs flat code: [`LANES`] invocations at once, one operation after the other.

use crate::code::{AtomicOp, BEYOND, Binary, Code, Extent, Input, LANES, NOBODY, Op, Reg, Slot, Unary, Word};
use crate::finding::{Finding, Kind};
use crate::float::{self, Arithmetic, Step};
use crate::memory::{Access, Memory};
use crate::taint::{self, Tainted};
use crate::{Binding, Device, Order, scalar};

/// A value of each invocation.
type Lanes = [u32; LANES];

/// The most findings of a run.
const MOST_FINDINGS: usize = 8;

/// A loop that takes more rounds has no end.
const MOST_ROUNDS: u32 = 1 << 16;

/// Runs a dispatch.
pub(crate) fn execute(
    (code, wgsl): (&Code, &str),
    device: &Device,
    order: Order,
    grid: [u32; 3],
    bindings: &[Binding],
    buffers: &mut [Memory],
) -> Vec<Finding> {
    buffers.iter_mut().for_each(Memory::begin_dispatch);
    let bound = |&(group, binding): &(u32, u32)| {
        let found = bindings.iter().find(|other| (other.group, other.binding) == (group, binding));
        let bound = *found.unwrap_or_else(|| panic!("nothing is bound at group {group}, binding {binding}"));
        let size = buffers[bound.buffer].size();
        assert!(bound.offset + bound.size <= size, "{bound:?} of a buffer of {size} bytes");
        assert!((bound.offset | bound.size).is_multiple_of(4), "{bound:?} is not of whole words");
        bound
    };
    let resources = code.resources.iter().map(bound).collect();
    let mut machine = Machine {
        code,
        wgsl,
        arithmetic: Arithmetic::of(device),
        floats: code.floats.iter().map(|expression| float::steps(expression, device)).collect(),
        grid,
        resources,
        buffers,
        values: vec![[0; LANES]; code.registers as usize],
        tainted: vec![0; code.registers as usize],
        taints: Vec::new(),
        masks: vec![0; code.slots as usize],
        counters: vec![0; code.counters as usize],
        active: 0,
        invocations: [0; LANES],
        at: 0,
        findings: Vec::new(),
    };
    for &(reg, value) in &code.constants {
        machine.values[reg as usize] = [value; LANES];
    }
    let [x, y, z] = code.workgroup_size;
    let total = grid.into_iter().chain([x, y, z]).map(u64::from).product::<u64>();
    // One less than two numbers that say who touched a word.
    assert!(total < u64::from(u32::MAX) - 1, "{total} invocations");
    for first in (0..total).step_by(LANES) {
        for (lane, n) in (first..total.min(first + LANES as u64)).enumerate() {
            machine.invocations[lane] = match order {
                Order::Forward => n,
                Order::Backward => total - 1 - n,
            } as u32;
        }
        let count = (total - first).min(LANES as u64);
        machine.active = u64::MAX >> (LANES as u64 - count);
        machine.run();
    }
    machine.findings
}

struct Machine<'a> {
    code: &'a Code,
    wgsl: &'a str,
    arithmetic: Arithmetic,
    floats: Vec<Vec<Step>>,
    grid: [u32; 3],
    resources: Vec<Binding>,
    buffers: &'a mut [Memory],
    values: Vec<Lanes>,
    /// Of each register, the invocations that have a tainted value.
    tainted: Vec<u64>,
    /// Which bits are tainted, and since which operation; empty as long as none is.
    taints: Vec<Taints>,
    masks: Vec<u64>,
    counters: Vec<u32>,
    /// The invocations that an operation concerns.
    active: u64,
    /// Their numbers in the dispatch.
    invocations: Lanes,
    at: usize,
    findings: Vec<Finding>,
}

#[derive(Clone, Debug)]
struct Taints {
    bits: Lanes,
    since: Lanes,
}

/// The numbers of the bits that are set.
fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then_some(mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        lane
    })
}

/// The lanes for which something holds.
fn mask(holds: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).fold(0, |mask, lane| mask | u64::from(holds(lane)) << lane)
}

impl Machine<'_> {
    fn run(&mut self) {
        for &(reg, input) in &self.code.inputs {
            for lane in 0..LANES {
                self.values[reg as usize][lane] = self.input(input, self.invocations[lane]);
            }
        }
        let code = self.code;
        self.at = 0;
        while let Some(op) = code.ops.get(self.at) {
            self.at += 1;
            self.step(op);
        }
    }

    fn input(&self, input: Input, invocation: u32) -> u32 {
        let size = self.code.workgroup_size;
        let workgroup = invocation / size.iter().product::<u32>();
        let local = invocation % size.iter().product::<u32>();
        let along = |n: u32, extents: [u32; 3]| {
            [n % extents[0], n / extents[0] % extents[1], n / extents[0] / extents[1]]
        };
        match input {
            Input::LocalIndex => local,
            Input::LocalId(axis) => along(local, size)[axis],
            Input::WorkgroupId(axis) => along(workgroup, self.grid)[axis],
            Input::Workgroups(axis) => self.grid[axis],
            Input::GlobalId(axis) => {
                along(workgroup, self.grid)[axis] * size[axis] + along(local, size)[axis]
            }
        }
    }

    fn report(&mut self, kind: Kind, lane: usize, values: impl FnOnce(&Self) -> String) {
        let line = self.code.lines[self.at - 1];
        let known = self.findings.iter().any(|finding| (finding.kind, finding.line) == (kind, line));
        if known || self.findings.len() == MOST_FINDINGS {
            return;
        }
        let invocation = [0, 1, 2].map(|axis| self.input(Input::GlobalId(axis), self.invocations[lane]));
        let text = self.line(line).to_owned();
        let values = values(self);
        self.findings.push(Finding { kind, line, text, invocation, values });
    }

    fn line(&self, line: u32) -> &str {
        self.wgsl.lines().nth((line as usize).wrapping_sub(1)).unwrap_or_default().trim()
    }

    /// The value of an invocation, with what of it is tainted.
    fn value(&self, reg: Reg, lane: usize) -> Tainted {
        let bits = self.values[reg as usize][lane];
        let taint = match self.tainted[reg as usize] >> lane & 1 {
            0 => 0,
            _ => self.taints[reg as usize].bits[lane],
        };
        Tainted { bits, taint }
    }

    /// Since which operation a value is tainted.
    fn since(&self, reg: Reg, lane: usize) -> Option<u32> {
        (self.tainted[reg as usize] >> lane & 1 != 0).then(|| self.taints[reg as usize].since[lane])
    }

    fn set_taint(&mut self, reg: Reg, lane: usize, bits: u32, since: u32) {
        if bits == 0 {
            return;
        }
        if self.taints.is_empty() {
            self.taints = vec![Taints { bits: [0; LANES], since: [0; LANES] }; self.values.len()];
        }
        self.tainted[reg as usize] |= 1 << lane;
        let taints = &mut self.taints[reg as usize];
        (taints.bits[lane], taints.since[lane]) = (bits, since);
    }

    /// Taints a result from here on.
    fn taint(&mut self, to: Reg, invocations: u64) {
        for lane in lanes(invocations & self.active) {
            self.set_taint(to, lane, u32::MAX, self.at as u32 - 1);
        }
    }

    /// Taints a result where one of the operands is tainted, as far as `bits` says.
    fn spread<const N: usize>(&mut self, to: Reg, from: [Reg; N], bits: impl Fn([Tainted; N]) -> u32) {
        let dirty = from.iter().fold(0, |dirty, &reg| dirty | self.tainted[reg as usize]) & self.active;
        let results: Vec<_> = lanes(dirty)
            .map(|lane| {
                let since = from.iter().find_map(|&reg| self.since(reg, lane)).unwrap_or_default();
                (lane, bits(from.map(|reg| self.value(reg, lane))), since)
            })
            .collect();
        self.tainted[to as usize] = 0;
        for (lane, bits, since) in results {
            self.set_taint(to, lane, bits, since);
        }
    }

    fn is_clean<const N: usize>(&mut self, to: Reg, from: [Reg; N]) -> bool {
        let dirty = from.iter().fold(0, |dirty, &reg| dirty | self.tainted[reg as usize]) & self.active;
        if dirty == 0 {
            self.tainted[to as usize] = 0;
        }
        dirty == 0
    }

    /// Reports that tainted values reach where they may not.
    fn refuse(&mut self, kind: Kind, reg: Reg) -> u64 {
        let dirty = self.tainted[reg as usize] & self.active;
        if let Some(lane) = lanes(dirty).next() {
            self.report(kind, lane, |this| {
                let Tainted { bits, taint } = this.value(reg, lane);
                let since = this.since(reg, lane).map_or(0, |op| this.code.lines[op as usize]);
                let text = this.line(since);
                format!("{bits:#010x}, of which the bits {taint:#010x} may be anything since line {since}, `{text}`")
            });
        }
        dirty
    }

    fn step(&mut self, op: &Op) {
        match *op {
            Op::Unary(op, to, a) => self.unary(op, to, a),
            Op::Binary(op, to, a, b) => self.binary(op, to, a, b),
            Op::Select { to, condition, accept, reject } => {
                let [c, a, r] = [condition, accept, reject].map(|reg| self.values[reg as usize]);
                let out = &mut self.values[to as usize];
                for lane in 0..LANES {
                    out[lane] = if c[lane] != 0 { a[lane] } else { r[lane] };
                }
                if !self.is_clean(to, [condition, accept, reject]) {
                    self.spread(to, [condition, accept, reject], |[c, a, r]| taint::select(c, a, r));
                }
            }
            Op::Float { to, expression } => self.float(to, expression),
            Op::ExtractBits { to, signed, from, offset, count } => {
                let [f, o, c] = [from, offset, count].map(|reg| self.values[reg as usize]);
                for lane in 0..LANES {
                    self.values[to as usize][lane] = scalar::extract_bits(signed, f[lane], o[lane], c[lane]);
                }
                self.spread(to, [from, offset, count], |[from, offset, count]| {
                    match offset.taint | count.taint {
                        0 => scalar::extract_bits(signed, from.taint, offset.bits, count.bits),
                        _ => u32::MAX,
                    }
                });
            }
            Op::InsertBits { to, into, bits, offset, count } => {
                let [i, b, o, c] = [into, bits, offset, count].map(|reg| self.values[reg as usize]);
                for lane in 0..LANES {
                    self.values[to as usize][lane] = scalar::insert_bits(i[lane], b[lane], o[lane], c[lane]);
                }
                self.spread(to, [into, bits, offset, count], |[into, bits, offset, count]| {
                    match offset.taint | count.taint {
                        0 => scalar::insert_bits(into.taint, bits.taint, offset.bits, count.bits),
                        _ => u32::MAX,
                    }
                });
            }
            Op::Assign { to, from } => self.assign(to, from),
            Op::Address { to, base, index, stride, extent } => {
                self.address(to, base, index, (stride, extent))
            }
            Op::ReadRegister { to, first, offset } => {
                let refused = self.refuse(Kind::TaintedAddress, offset);
                self.tainted[to as usize] = 0;
                for lane in lanes(self.active & !refused) {
                    let offset = self.values[offset as usize][lane];
                    let from = first.wrapping_add(offset);
                    if offset != BEYOND {
                        let Tainted { bits, taint } = self.value(from, lane);
                        let since = self.since(from, lane).unwrap_or_default();
                        self.values[to as usize][lane] = bits;
                        self.set_taint(to, lane, taint, since);
                    }
                }
            }
            Op::WriteRegister { first, offset, from } => {
                let refused = self.refuse(Kind::TaintedAddress, offset);
                for lane in lanes(self.active & !refused) {
                    let offset = self.values[offset as usize][lane];
                    if offset != BEYOND {
                        let to = first + offset;
                        let Tainted { bits, taint } = self.value(from, lane);
                        let since = self.since(from, lane).unwrap_or_default();
                        self.values[to as usize][lane] = bits;
                        self.tainted[to as usize] &= !(1 << lane);
                        self.set_taint(to, lane, taint, since);
                    }
                }
            }
            Op::Load { to, word, atomically } => self.load(to, word, atomically),
            Op::Store { word, from, atomically } => {
                self.refuse(Kind::TaintedStore, from);
                let access = if atomically { Access::AtomicStore } else { Access::Store };
                self.each_word(word, access, |this, buffer, at, lane| {
                    let value = this.values[from as usize][lane];
                    this.buffers[buffer].store(at, value);
                });
            }
            Op::Atomic { op, to, word, from } => {
                self.refuse(Kind::TaintedStore, from);
                self.each_word(word, Access::AtomicStore, |this, buffer, at, lane| {
                    let old = this.buffers[buffer].load(at);
                    let new = scalar::atomic(op, old, this.values[from as usize][lane]);
                    this.buffers[buffer].store(at, new);
                    this.values[to as usize][lane] = old;
                });
            }
            Op::CompareExchange { to, exchanged, word, compare, from } => {
                self.refuse(Kind::TaintedStore, from);
                self.refuse(Kind::TaintedBranch, compare);
                self.each_word(word, Access::AtomicStore, |this, buffer, at, lane| {
                    let old = this.buffers[buffer].load(at);
                    let equal = old == this.values[compare as usize][lane];
                    if equal {
                        let new = scalar::atomic(AtomicOp::Exchange, old, this.values[from as usize][lane]);
                        this.buffers[buffer].store(at, new);
                    }
                    this.values[to as usize][lane] = old;
                    this.values[exchanged as usize][lane] = equal.into();
                });
            }
            Op::Length { to, extent } => self.values[to as usize] = [self.length(extent); LANES],
            _ => self.control(op),
        }
    }

    fn control(&mut self, op: &Op) {
        let jump = |this: &mut Self, to: u32| {
            if this.active == 0 {
                this.at = to as usize;
            }
        };
        match *op {
            Op::Enter { all, returned } => {
                self.keep(all);
                self.masks[returned as usize] = 0;
            }
            Op::Leave { all } => self.active = self.masks[all as usize],
            Op::If { condition, all, otherwise } => {
                self.keep(all);
                self.refuse(Kind::TaintedBranch, condition);
                self.active &= self.condition(condition);
                jump(self, otherwise);
            }
            Op::Else { condition, all, end } => {
                self.active = self.masks[all as usize] & !self.condition(condition);
                jump(self, end);
            }
            Op::Join { all, gone } => self.active = self.masks[all as usize] & !self.gone(&gone),
            Op::Go { to } => {
                self.masks[to as usize] |= self.active;
                self.active = 0;
            }
            Op::SkipIfNone { to } => jump(self, to),
            Op::Loop { all, broken, counter } => {
                self.keep(all);
                self.masks[broken as usize] = 0;
                self.counters[counter as usize] = 0;
            }
            Op::Round { round, continued } => {
                self.keep(round);
                self.masks[continued as usize] = 0;
            }
            Op::Continuing { round, continued, gone } => {
                self.active = self.masks[round as usize] & !self.gone(&gone);
                self.masks[continued as usize] = 0;
            }
            Op::BreakIf { condition, broken } => {
                self.refuse(Kind::TaintedBranch, condition);
                let leaves = self.active & self.condition(condition);
                self.masks[broken as usize] |= leaves;
                self.active &= !leaves;
            }
            Op::Again { head, counter } => {
                let Some(lane) = lanes(self.active).next() else { return };
                self.counters[counter as usize] += 1;
                if self.counters[counter as usize] > MOST_ROUNDS {
                    self.report(Kind::Endless, lane, |_| format!("more than {MOST_ROUNDS} rounds"));
                } else {
                    self.at = head as usize;
                }
            }
            Op::LoopEnd { all, gone } => self.active = self.masks[all as usize] & !self.gone(&gone),
            _ => unreachable!("{op:?} is no control"),
        }
    }

    fn keep(&mut self, slot: Slot) {
        debug_assert_ne!(slot, NOBODY);
        self.masks[slot as usize] = self.active;
    }

    fn gone(&self, slots: &[Slot]) -> u64 {
        slots.iter().fold(0, |gone, &slot| gone | self.masks[slot as usize])
    }

    fn condition(&self, reg: Reg) -> u64 {
        let values = &self.values[reg as usize];
        mask(|lane| values[lane] != 0)
    }

    fn assign(&mut self, to: Reg, from: Reg) {
        let new = self.values[from as usize];
        let out = &mut self.values[to as usize];
        for lane in 0..LANES {
            let keep = (self.active >> lane & 1).wrapping_sub(1) as u32;
            out[lane] = (out[lane] & keep) | (new[lane] & !keep);
        }
        let dirty = self.tainted[from as usize] & self.active;
        self.tainted[to as usize] &= !self.active;
        for lane in lanes(dirty) {
            let Taints { bits, since } = &self.taints[from as usize];
            let (bits, since) = (bits[lane], since[lane]);
            self.set_taint(to, lane, bits, since);
        }
    }

    fn unary(&mut self, op: Unary, to: Reg, a: Reg) {
        macro_rules! each {
            ($($op:ident)*) => {{
                let operand = self.values[a as usize];
                let out = &mut self.values[to as usize];
                match op {
                    $(Unary::$op => for lane in 0..LANES {
                        out[lane] = scalar::unary(Unary::$op, operand[lane]).unwrap_or_default();
                    })*
                    _ => return self.float_unary(op, to, a),
                }
            }};
        }
        each!(Not Negate Abs Sign CountOnes LeadingZeros TrailingZeros Reverse FirstLeadingU FirstLeadingI FirstTrailing);
        if !self.is_clean(to, [a]) {
            self.spread(to, [a], |[a]| taint::unary(op, a));
        }
    }

    fn float_unary(&mut self, op: Unary, to: Reg, a: Reg) {
        let operand = self.values[a as usize];
        let mut open = 0;
        for lane in 0..LANES {
            let result = self.arithmetic.unary(op, operand[lane]);
            open |= u64::from(result.is_none()) << lane;
            self.values[to as usize][lane] = result.unwrap_or_default();
        }
        self.spread(to, [a], |[a]| taint::unary(op, a));
        self.taint(to, open);
    }

    fn binary(&mut self, op: Binary, to: Reg, a: Reg, b: Reg) {
        macro_rules! each {
            ($($op:ident)*) => {{
                let (left, right) = (self.values[a as usize], self.values[b as usize]);
                let out = &mut self.values[to as usize];
                match op {
                    $(Binary::$op => for lane in 0..LANES {
                        out[lane] = scalar::binary(Binary::$op, left[lane], right[lane]).unwrap_or_default();
                    })*
                    _ => for lane in 0..LANES {
                        out[lane] = self.arithmetic.binary(op, left[lane], right[lane]).unwrap_or_default();
                    },
                }
                (left, right)
            }};
        }
        let (left, right) = each!(Add Subtract Multiply DivideU DivideI RemainderU RemainderI And Or Xor ShiftLeft
            ShiftRightU ShiftRightI Equal LessU LessI MinU MaxU MinI MaxI);
        if !self.is_clean(to, [a, b]) {
            self.spread(to, [a, b], |[a, b]| taint::binary(op, a, b));
        }
        match op {
            Binary::DivideU | Binary::DivideI | Binary::RemainderU | Binary::RemainderI => {
                self.taint(to, mask(|lane| scalar::is_open(op, left[lane], right[lane])));
            }
            Binary::ShiftLeft | Binary::ShiftRightU | Binary::ShiftRightI => {
                let most = right.iter().fold(0, |most, &n| most | n);
                if most >= 32 {
                    let wrong = mask(|lane| right[lane] >= 32) & self.active;
                    if let Some(lane) = lanes(wrong).next() {
                        self.report(Kind::Shift, lane, |_| format!("{:#x} by {}", left[lane], right[lane]));
                    }
                }
            }
            _ => {}
        }
    }

    fn float(&mut self, to: Reg, expression: u32) {
        let arithmetic = self.arithmetic;
        let mut stack: Vec<Lanes> = Vec::with_capacity(8);
        // NaNs and infinities among the operands.
        let mut special = [0; LANES];
        let mut dirty = 0;
        for step in &self.floats[expression as usize] {
            let operands = match step {
                Step::Push(_) => 0,
                Step::Negate => 1,
                Step::Multiply | Step::Add => 2,
                Step::Fused => 3,
            };
            let mut taken = [[0; LANES]; 3];
            for place in taken[..operands].iter_mut().rev() {
                *place = stack.pop().expect("the steps suit the stack");
            }
            let [x, y, z] = taken;
            let mut out = [0; LANES];
            match *step {
                Step::Push(reg) => {
                    let values = &self.values[reg as usize];
                    dirty |= self.tainted[reg as usize];
                    for lane in 0..LANES {
                        special[lane] |= u32::from(float::is_special(values[lane]));
                        out[lane] = arithmetic.operand(values[lane]);
                    }
                }
                Step::Negate => (0..LANES).for_each(|lane| out[lane] = x[lane] ^ 1 << 31),
                Step::Multiply => {
                    (0..LANES).for_each(|lane| out[lane] = arithmetic.product(x[lane], y[lane]))
                }
                Step::Add => (0..LANES).for_each(|lane| out[lane] = arithmetic.sum(x[lane], y[lane])),
                Step::Fused => {
                    (0..LANES).for_each(|lane| out[lane] = arithmetic.fused(x[lane], y[lane], z[lane]));
                }
            }
            stack.push(out);
        }
        let result = stack.pop().expect("the steps leave a result");
        self.values[to as usize] = result;
        self.tainted[to as usize] = 0;
        for lane in lanes(dirty & self.active) {
            let mut since = None;
            self.code.floats[expression as usize].leaves(&mut |reg| since = since.or(self.since(reg, lane)));
            self.set_taint(to, lane, u32::MAX, since.unwrap_or_default());
        }
        // A NaN comes of infinities that the expression overflowed to.
        self.taint(to, mask(|lane| special[lane] != 0 || f32::from_bits(result[lane]).is_nan()) & !dirty);
    }

    fn length(&self, extent: Extent) -> u32 {
        match extent {
            Extent::Fixed(length) => length,
            Extent::Runtime { resource, from, stride } => {
                let size = self.resources[resource as usize].size;
                (size.saturating_sub(from.into()) / u64::from(stride)) as u32
            }
        }
    }

    fn address(&mut self, to: Reg, base: Option<Reg>, index: Reg, (stride, extent): (u32, Extent)) {
        let length = self.length(extent);
        let indices = self.values[index as usize];
        let before = base.map_or([0; LANES], |base| self.values[base as usize]);
        let beyond = mask(|lane| indices[lane] >= length);
        let refused = self.refuse(Kind::TaintedAddress, index);
        if let Some(lane) = lanes(beyond & self.active & !refused).next() {
            let kind = match extent {
                Extent::Fixed(_) => Kind::BeyondArray,
                Extent::Runtime { .. } => Kind::BeyondBinding,
            };
            self.report(kind, lane, |_| format!("element {} of {length}", indices[lane]));
        }
        let out = &mut self.values[to as usize];
        for lane in 0..LANES {
            let is_beyond = (beyond | refused) >> lane & 1 != 0 || before[lane] == BEYOND;
            out[lane] = if is_beyond { BEYOND } else { before[lane] + indices[lane] * stride };
        }
        self.tainted[to as usize] = 0;
    }

    /// Calls `f` with the buffer, the word in it and the invocation, for each that is active and within its binding.
    fn each_word(&mut self, word: Word, access: Access, f: impl Fn(&mut Self, usize, u64, usize)) {
        for lane in lanes(self.active) {
            let address = word.address.map_or(0, |reg| self.values[reg as usize][lane]);
            if address == BEYOND {
                continue;
            }
            if let Some((buffer, at)) = self.touch(word, address, access, lane) {
                f(self, buffer, at, lane);
            }
        }
    }

    /// Notes that an invocation touches a word: its buffer, and where it is there; `None` if it is beyond the binding.
    fn touch(&mut self, word: Word, address: u32, access: Access, lane: usize) -> Option<(usize, u64)> {
        let Binding { group, binding, buffer, offset, size } = self.resources[word.resource as usize];
        let byte = u64::from(address) + u64::from(word.plus);
        if byte + 4 > size {
            self.report(Kind::BeyondBinding, lane, |_| {
                format!("bytes {byte} to {} of {size}, group {group}, binding {binding}", byte + 3)
            });
            return None;
        }
        let at = (offset + byte) / 4;
        if let Some((kind, values)) = self.buffers[buffer].touch(at, self.invocations[lane], access) {
            self.report(kind, lane, |_| format!("buffer {buffer}, {values}"));
        }
        Some((buffer, at))
    }

    fn load(&mut self, to: Reg, word: Word, atomically: bool) {
        self.tainted[to as usize] = 0;
        let access = if atomically { Access::AtomicLoad } else { Access::Load };
        let read = |this: &mut Self, buffer: usize, at: u64, lane: usize| {
            this.values[to as usize][lane] = this.buffers[buffer].load(at);
        };
        if word.address.is_some() || atomically {
            self.values[to as usize] = [0; LANES];
            self.each_word(word, access, read);
            return;
        }
        // All load one word: two that do stand for several.
        let mut active = lanes(self.active);
        let (first, second) = (active.next(), active.next());
        let mut value = 0;
        for lane in first.into_iter().chain(second) {
            if let Some((buffer, at)) = self.touch(word, 0, access, lane) {
                value = self.buffers[buffer].load(at);
            }
        }
        self.values[to as usize] = [value; LANES];
    }
}
