//! Runs flat code, one operation after the other, on [`LANES`] invocations at once.

mod access;
mod values;

use std::sync::Arc;

use crate::code::{Code, Float, LANES, NOBODY, NONE, Op, Opcode, Reg, Slot};
use crate::finding::{Finding, Kind};
use crate::float::{self, Arithmetic};
use crate::memory::Memory;
use crate::module::{Dispatch, Order, Program};
use crate::profile::Profiler;
use crate::taint::Tainted;
use crate::{Binding, Device, Source};

/// One value per invocation.
type Lanes = [u32; LANES];

/// The most findings of a dispatch.
const MOST_FINDINGS: usize = 8;

/// The most rounds of a loop; a loop that takes more counts as endless.
const MOST_ROUNDS: u32 = 1 << 16;

/// Runs a dispatch on `buffers`, or the sample of its invocations that a profiler takes. Returns the findings and the
/// choices of a device that made a difference. Reports each kind of finding at most once per line, whichever call led
/// there, and at most [`MOST_FINDINGS`] findings.
pub(crate) fn execute(
    &Dispatch { program: Program { code, wgsl }, grid, ref bindings }: &Dispatch<'_>,
    device: Device,
    order: Order,
    buffers: &mut [Memory],
    profiler: Option<&mut Profiler>,
) -> (Vec<Finding>, u8) {
    buffers.iter_mut().for_each(Memory::begin_dispatch);
    let count = buffers.len();
    let bound = |&(group, binding): &(u32, u32)| {
        if group == NONE {
            let (buffer, size) = (count + binding as usize, code.shared[binding as usize].into());
            return Binding { group, binding, buffer, offset: 0, size };
        }
        let found = bindings.iter().find(|other| (other.group, other.binding) == (group, binding));
        let bound = *found.unwrap_or_else(|| panic!("nothing is bound at group {group}, binding {binding}"));
        let size = buffers[bound.buffer].size();
        assert!(bound.offset + bound.size <= size, "{bound:?} ends beyond its buffer of {size} bytes");
        assert!((bound.offset | bound.size).is_multiple_of(4), "{bound:?} is not of whole words");
        bound
    };
    let resources = code.resources.iter().map(bound).collect();
    let mut machine = Machine {
        code,
        wgsl,
        arithmetic: Arithmetic { device, met: 0 },
        floats: code
            .floats
            .iter()
            .map(|float| (float::arranged(float, device), float::choices(float)))
            .collect(),
        grid,
        resources,
        buffers,
        shared: Vec::new(),
        batch: Batch::new(code),
        findings: Vec::new(),
        is_over: false,
        profiler,
    };
    let workgroup = code.workgroup_size.into_iter().map(u64::from).product::<u64>();
    let total = grid.into_iter().map(u64::from).product::<u64>() * workgroup;
    // `Touched` stores an invocation's number plus 1; 0 means none, and `SEVERAL` is `u32::MAX`.
    assert!(total < u64::from(u32::MAX) - 1, "{total} invocations");
    // The invocations of a batch execute each statement together. To show another interleaving, backward order takes
    // one invocation at a time if the program has atomics.
    let at_once = if order == Order::Backward && code.has_atomics() { 1 } else { LANES as u64 };
    // Invocations that wait for each other, or else one batch.
    let together = if code.is_shared() { workgroup } else { at_once };
    let places = Places::new(order, total, if code.is_shared() { workgroup } else { total });
    let batches = together.div_ceil(at_once);
    for first in (0..total).step_by(together as usize) {
        if let Some(profiler) = &mut machine.profiler
            && !profiler.takes(first / together, total.div_ceil(together), batches)
        {
            continue;
        }
        let all: Vec<_> = (first..total.min(first + together)).map(|n| places.of(n)).collect();
        machine.run(all.chunks(at_once as usize));
        if machine.is_over {
            break;
        }
    }
    (machine.findings, machine.arithmetic.met)
}

/// The order of invocations. Those of a group stay together.
struct Places {
    order: Order,
    total: u64,
    /// Invocations of a group.
    group: u64,
    /// Steps from one group to the next, and within a group.
    strides: [u64; 2],
}

impl Places {
    fn new(order: Order, total: u64, group: u64) -> Self {
        Self { order, total, group, strides: [total / group.max(1), group].map(scattering) }
    }

    /// The number of the invocation that runs as the `n`-th.
    fn of(&self, n: u64) -> u32 {
        let place = match self.order {
            Order::Forward => n,
            Order::Backward => self.total - 1 - n,
            Order::Scattered => {
                let groups = self.total / self.group;
                let (group, within) = (n / self.group, n % self.group);
                group * self.strides[0] % groups * self.group + within * self.strides[1] % self.group
            }
        };
        place as u32
    }
}

/// A step that is coprime to `total`, so that repeated steps meet every invocation. If there are enough invocations,
/// those that run one after the other lie far apart.
fn scattering(total: u64) -> u64 {
    let divides_both = |step: u64| {
        let (mut a, mut b) = (total, step);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a > 1
    };
    (total * 5 / 8..total).find(|&step| !divides_both(step)).unwrap_or(1)
}

struct Machine<'a> {
    code: &'a Code,
    wgsl: &'a str,
    arithmetic: Arithmetic,
    /// Each float expression as the device groups it, and the choices of a device that make a difference to it.
    floats: Vec<(Arc<Float>, u8)>,
    grid: [u32; 3],
    resources: Vec<Binding>,
    buffers: &'a mut [Memory],
    /// The workgroup's memory, which counts as further buffers.
    shared: Vec<Memory>,
    /// The batch that runs.
    batch: Batch,
    findings: Vec<Finding>,
    /// Whether a loop took too many rounds, or invocations missed a barrier; nothing runs after that.
    is_over: bool,
    /// Counts, if a profile is taken.
    profiler: Option<&'a mut Profiler>,
}

/// What the invocations of a batch hold.
struct Batch {
    values: Vec<Lanes>,
    /// For each register, a mask of the lanes with a tainted value.
    tainted: Vec<u64>,
    /// For each register, the tainted bits and the operation that tainted them; empty until a value is tainted.
    taints: Vec<Taints>,
    masks: Vec<u64>,
    counters: Vec<u32>,
    /// Mask of the lanes with an invocation.
    all: u64,
    /// Mask of the active lanes.
    active: u64,
    /// The invocation's number in the dispatch, for each lane.
    invocations: Lanes,
    at: usize,
}

impl Batch {
    fn new(code: &Code) -> Self {
        let mut batch = Self {
            values: vec![[0; LANES]; code.registers as usize],
            tainted: vec![0; code.registers as usize],
            taints: Vec::new(),
            masks: vec![0; code.slots as usize],
            counters: vec![0; code.counters as usize],
            all: 0,
            active: 0,
            invocations: [0; LANES],
            at: 0,
        };
        for &(reg, value) in &code.constants {
            batch.values[reg as usize] = [value; LANES];
        }
        batch
    }

    /// Puts invocations at the start of the code.
    fn begin(&mut self, code: &Code, grid: [u32; 3], invocations: &[u32]) {
        self.invocations[..invocations.len()].copy_from_slice(invocations);
        self.all = u64::MAX >> (LANES - invocations.len());
        self.active = self.all;
        for &(reg, input) in &code.inputs {
            for (lane, invocation) in invocations.iter().enumerate() {
                self.values[reg as usize][lane] = code.input(input, grid, *invocation);
            }
        }
        self.at = 0;
    }
}

#[derive(Clone, Debug)]
struct Taints {
    bits: Lanes,
    since: Lanes,
}

/// The indices of the bits that are set.
fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then_some(mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        lane
    })
}

/// A mask of the lanes for which `holds` returns true.
fn mask(holds: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).fold(0, |mask, lane| mask | u64::from(holds(lane)) << lane)
}

impl Machine<'_> {
    /// Runs batches of invocations. Those of several batches belong to one workgroup and wait for each other.
    fn run<'b>(&mut self, batches: impl Iterator<Item = &'b [u32]>) {
        if !self.code.is_shared() {
            for invocations in batches {
                self.batch.begin(self.code, self.grid, invocations);
                self.resume();
            }
            return;
        }
        let size = |size: &u32| Memory::new(u64::from(*size).next_multiple_of(4), 0);
        self.shared = self.code.shared.iter().map(size).collect();
        let begun = |invocations| {
            let mut batch = Batch::new(self.code);
            batch.begin(self.code, self.grid, invocations);
            batch
        };
        let mut waiting: Vec<_> = batches.map(begun).collect();
        while waiting[0].at < self.code.ops.len() && !self.is_over {
            // Accesses on two sides of a barrier do not race.
            self.shared.iter_mut().for_each(Memory::begin_dispatch);
            for batch in &mut waiting {
                std::mem::swap(&mut self.batch, batch);
                self.resume();
                std::mem::swap(&mut self.batch, batch);
            }
            self.refuse_missed(&mut waiting);
        }
    }

    /// Reports a barrier that some invocations of a workgroup have reached, and others have not.
    fn refuse_missed(&mut self, waiting: &mut [Batch]) {
        // Batches that wait further on, or are at their end, have missed the first barrier.
        let at = waiting.iter().map(|batch| batch.at).min().unwrap_or_default();
        let reached = |batch: &Batch| if batch.at == at { batch.active } else { 0 };
        // The batch and the lane of an invocation of some.
        let one = |mask: &dyn Fn(&Batch) -> u64| {
            let of = |(n, batch): (usize, &Batch)| Some((n, lanes(mask(batch)).next()?));
            waiting.iter().enumerate().find_map(of)
        };
        let missed = one(&|batch| batch.all & !reached(batch));
        let (Some((n, lane)), Some((other, missed))) = (one(&reached), missed) else { return };
        let missed = waiting[other].invocations[missed];
        // The end is no barrier.
        if at == self.code.ops.len() || self.is_over {
            return;
        }
        std::mem::swap(&mut self.batch, &mut waiting[n]);
        self.report(Kind::MissedBarrier, lane, |this| {
            let [x, y, z] = this.code.global_id(this.grid, missed);
            format!("invocation ({x}, {y}, {z}) does not reach it")
        });
        std::mem::swap(&mut self.batch, &mut waiting[n]);
        self.is_over = true;
    }

    /// Runs the batch up to the next barrier, or to the end.
    fn resume(&mut self) {
        let code = self.code;
        while let Some(op) = code.ops.get(self.batch.at) {
            self.batch.at += 1;
            if matches!(op.code, Opcode::Barrier) {
                break;
            }
            self.step(op);
        }
    }

    /// A buffer, or behind the buffers the workgroup's memory.
    fn memory(&mut self, n: usize) -> &mut Memory {
        match n.checked_sub(self.buffers.len()) {
            None => &mut self.buffers[n],
            Some(n) => &mut self.shared[n],
        }
    }

    fn report(&mut self, kind: Kind, lane: usize, values: impl FnOnce(&Self) -> String) {
        let operation = self.batch.at as u32 - 1;
        let site = self.code.sites[self.code.origins[operation as usize] as usize];
        let is_same = |other: &Finding| {
            other.kind == kind && other.source.as_ref().is_some_and(|source| source.line == site.line)
        };
        if self.findings.len() < MOST_FINDINGS && !self.findings.iter().any(is_same) {
            let (source, values) = (Some(self.source(operation, lane)), values(self));
            self.findings.push(Finding { kind, source, values });
        }
    }

    /// The WGSL line and the invocation of an operation.
    fn source(&self, operation: u32, lane: usize) -> Source {
        let site = self.code.origins[operation as usize];
        self.code.source(self.wgsl, site, self.grid, self.batch.invocations[lane])
    }

    /// A lane's value and its tainted bits.
    fn value(&self, reg: Reg, lane: usize) -> Tainted {
        let bits = self.batch.values[reg as usize][lane];
        let taint = match self.batch.tainted[reg as usize] >> lane & 1 {
            0 => 0,
            _ => self.batch.taints[reg as usize].bits[lane],
        };
        Tainted { bits, taint }
    }

    /// The operation that tainted a value.
    fn since(&self, reg: Reg, lane: usize) -> Option<u32> {
        (self.batch.tainted[reg as usize] >> lane & 1 != 0)
            .then(|| self.batch.taints[reg as usize].since[lane])
    }

    fn set_taint(&mut self, reg: Reg, lane: usize, bits: u32, since: u32) {
        if bits == 0 {
            return;
        }
        if self.batch.taints.is_empty() {
            self.batch.taints = vec![Taints { bits: [0; LANES], since: [0; LANES] }; self.batch.values.len()];
        }
        self.batch.tainted[reg as usize] |= 1 << lane;
        let taints = &mut self.batch.taints[reg as usize];
        (taints.bits[lane], taints.since[lane]) = (bits, since);
    }

    /// Taints all bits of a result for some invocations, and notes the current operation as the origin.
    fn taint(&mut self, to: Reg, invocations: u64) {
        for lane in lanes(invocations & self.batch.active) {
            self.set_taint(to, lane, u32::MAX, self.batch.at as u32 - 1);
        }
    }

    /// Taints a result in the lanes in which an operand is tainted; `bits` returns the tainted bits.
    fn spread<const N: usize>(&mut self, to: Reg, from: [Reg; N], bits: impl Fn([Tainted; N]) -> u32) {
        let dirty =
            from.iter().fold(0, |dirty, &reg| dirty | self.batch.tainted[reg as usize]) & self.batch.active;
        let results: Vec<_> = lanes(dirty)
            .map(|lane| {
                let since = from.iter().find_map(|&reg| self.since(reg, lane)).unwrap_or_default();
                (lane, bits(from.map(|reg| self.value(reg, lane))), since)
            })
            .collect();
        self.batch.tainted[to as usize] = 0;
        for (lane, bits, since) in results {
            self.set_taint(to, lane, bits, since);
        }
    }

    /// Copies a lane's value and taint from one register to another.
    fn copy(&mut self, to: Reg, from: Reg, lane: usize) {
        let Tainted { bits, taint } = self.value(from, lane);
        let since = self.since(from, lane).unwrap_or_default();
        self.batch.values[to as usize][lane] = bits;
        self.batch.tainted[to as usize] &= !(1 << lane);
        self.set_taint(to, lane, taint, since);
    }

    /// Reports a tainted value where none is allowed; returns the lanes with tainted values.
    fn refuse(&mut self, kind: Kind, reg: Reg) -> u64 {
        let dirty = self.batch.tainted[reg as usize] & self.batch.active;
        if let Some(lane) = lanes(dirty).next() {
            self.report(kind, lane, |this| {
                let Tainted { bits, taint } = this.value(reg, lane);
                let since = this.since(reg, lane).map(|operation| this.source(operation, lane));
                let since = since.map_or_else(String::new, |source| format!(" since {source}"));
                format!("{bits:#010x}, whose bits {taint:#010x} may be anything{since}")
            });
        }
        dirty
    }

    fn step(&mut self, &Op { code, to, from }: &Op) {
        if let Some(profiler) = &mut self.profiler {
            profiler.step(code, self.batch.active, self.code.weights[self.batch.at - 1]);
        }
        match code {
            Opcode::Unary(op) => self.unary(op, to, from[0]),
            Opcode::Binary(op) => self.binary(op, to, [from[0], from[1]]),
            Opcode::Select => self.select(to, [from[0], from[1], from[2]]),
            Opcode::Float(expression) => self.float(to, expression as usize),
            Opcode::ExtractBits { signed } => self.extract_bits(to, signed, [from[0], from[1], from[2]]),
            Opcode::InsertBits => self.insert_bits(to, from),
            Opcode::Assign => self.assign(to, from[0]),
            Opcode::Address { stride, extent } => self.address(to, from[0], from[1], (stride, extent)),
            Opcode::ReadRegister => self.read_register(to, from[0], from[1]),
            Opcode::WriteRegister => self.write_register(from[0], from[1], from[2]),
            Opcode::Load(word) => self.load(to, word, from[0]),
            Opcode::Store(word) => self.store(word, from[0], from[1]),
            Opcode::Atomic(op, word) => self.atomic(op, to, word, [from[0], from[1]]),
            Opcode::Length(extent) => {
                self.batch.values[to as usize] = [self.length(extent); LANES];
                self.batch.tainted[to as usize] = 0;
            }

            Opcode::Barrier => unreachable!("`resume` stops there"),
            Opcode::Keep(slot) => {
                debug_assert_ne!(slot, NOBODY);
                self.batch.masks[slot as usize] = self.batch.active;
            }
            Opcode::Clear(slot) => self.batch.masks[slot as usize] = 0,
            Opcode::Restore(slot, gone) => {
                let gone = gone.iter().fold(0, |gone, &slot: &Slot| gone | self.batch.masks[slot as usize]);
                self.batch.active = self.batch.masks[slot as usize] & !gone;
            }
            Opcode::Where => {
                self.refuse(Kind::TaintedBranch, from[0]);
                let values = &self.batch.values[from[0] as usize];
                self.batch.active &= mask(|lane| values[lane] != 0);
            }
            Opcode::Go(slot) => {
                self.batch.masks[slot as usize] |= self.batch.active;
                self.batch.active = 0;
            }
            Opcode::Skip(to) if self.batch.active == 0 => self.batch.at = to as usize,
            Opcode::Skip(_) => {}
            Opcode::Reset(counter) => self.batch.counters[counter as usize] = 0,
            Opcode::Again { head, counter } => {
                let Some(lane) = lanes(self.batch.active).next() else { return };
                self.batch.counters[counter as usize] += 1;
                if self.batch.counters[counter as usize] <= MOST_ROUNDS {
                    self.batch.at = head as usize;
                } else {
                    self.report(Kind::Endless, lane, |_| format!("round {}", MOST_ROUNDS + 1));
                    // Stop here: an outer loop or other invocations could take as long each time.
                    self.is_over = true;
                    self.batch.at = self.code.ops.len();
                }
            }
        }
    }
}
