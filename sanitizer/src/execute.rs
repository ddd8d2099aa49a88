//! Runs flat code, one operation after the other, on [`LANES`] invocations at once.

mod access;
mod control;
mod values;

use crate::code::{Code, LANES, Op, Reg};
use crate::finding::{Finding, Kind};
use crate::float::{self, Arithmetic, Step};
use crate::memory::Memory;
use crate::taint::Tainted;
use crate::{Binding, Device, Freedoms, Order, Source};

/// One value per invocation.
type Lanes = [u32; LANES];

/// The most findings of a dispatch.
const MOST_FINDINGS: usize = 8;

/// Runs a dispatch.
pub(crate) fn execute(
    (code, wgsl): (&Code, &str),
    device: Device,
    order: Order,
    grid: [u32; 3],
    bindings: &[Binding],
    buffers: &mut [Memory],
) -> (Vec<Finding>, Freedoms) {
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
        floats: code
            .floats
            .iter()
            .map(|expression| (float::steps(expression, device), float::freedoms(expression)))
            .collect(),
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
        stack: Vec::new(),
        findings: Vec::new(),
        is_endless: false,
    };
    for &(reg, value) in &code.constants {
        machine.values[reg as usize] = [value; LANES];
    }
    let [x, y, z] = code.workgroup_size;
    let total = grid.into_iter().chain([x, y, z]).map(u64::from).product::<u64>();
    // `Touched` keeps invocation numbers plus 1, next to 0 and `SEVERAL`.
    assert!(total < u64::from(u32::MAX) - 1, "{total} invocations");
    // The invocations of a batch take each statement together, so each order needs different batches.
    let at_once = if order == Order::Backward && code.has_atomics() { 1 } else { LANES };
    let stride = scattering(total);
    for first in (0..total).step_by(at_once) {
        for (lane, n) in (first..total.min(first + at_once as u64)).enumerate() {
            machine.invocations[lane] = match order {
                Order::Forward => n,
                Order::Backward => total - 1 - n,
                Order::Scattered => n * stride % total,
            } as u32;
        }
        let count = (total - first).min(at_once as u64);
        machine.active = u64::MAX >> (LANES as u64 - count);
        machine.run();
        if machine.is_endless {
            break;
        }
    }
    (machine.findings, machine.arithmetic.met)
}

/// A step that is coprime to `total` and thus meets every invocation; neighbours lie apart if there are enough.
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
    /// The steps of each float expression, and the choices of a device that make a difference to it.
    floats: Vec<(Vec<Step>, Freedoms)>,
    grid: [u32; 3],
    resources: Vec<Binding>,
    buffers: &'a mut [Memory],
    values: Vec<Lanes>,
    /// For each register, a mask of the lanes with a tainted value.
    tainted: Vec<u64>,
    /// For each register, the tainted bits and the operation that tainted them; empty until a value is tainted.
    taints: Vec<Taints>,
    masks: Vec<u64>,
    counters: Vec<u32>,
    /// Mask of the active lanes.
    active: u64,
    /// The invocation's number in the dispatch, for each lane.
    invocations: Lanes,
    at: usize,
    /// Operands of the float expression in progress.
    stack: Vec<Lanes>,
    findings: Vec<Finding>,
    /// Whether a loop took too many rounds; nothing runs after that.
    is_endless: bool,
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
    fn run(&mut self) {
        for &(reg, input) in &self.code.inputs {
            for lane in lanes(self.active) {
                self.values[reg as usize][lane] = self.code.input(input, self.grid, self.invocations[lane]);
            }
        }
        let code = self.code;
        self.at = 0;
        while let Some(op) = code.ops.get(self.at) {
            self.at += 1;
            self.step(op);
        }
    }

    fn report(&mut self, kind: Kind, lane: usize, values: impl FnOnce(&Self) -> String) {
        let operation = self.at as u32 - 1;
        let at = self.code.line(operation);
        let is_same = |other: &Finding| {
            other.kind == kind && other.source.as_ref().is_some_and(|source| source.line == at)
        };
        if self.findings.len() == MOST_FINDINGS || self.findings.iter().any(is_same) {
            return;
        }
        let (source, values) = (self.source(operation, lane), values(self));
        self.findings.push(Finding { kind, source: Some(source), values });
    }

    /// The WGSL line and the invocation of an operation.
    fn source(&self, operation: u32, lane: usize) -> Source {
        let site = self.code.origins[operation as usize];
        self.code.source(self.wgsl, site, self.grid, self.invocations[lane])
    }

    /// A lane's value and its tainted bits.
    fn value(&self, reg: Reg, lane: usize) -> Tainted {
        let bits = self.values[reg as usize][lane];
        let taint = match self.tainted[reg as usize] >> lane & 1 {
            0 => 0,
            _ => self.taints[reg as usize].bits[lane],
        };
        Tainted { bits, taint }
    }

    /// The operation that tainted a value.
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

    /// Taints all bits of a result, from the current operation on.
    fn taint(&mut self, to: Reg, invocations: u64) {
        for lane in lanes(invocations & self.active) {
            self.set_taint(to, lane, u32::MAX, self.at as u32 - 1);
        }
    }

    /// Taints a result where one of the operands is tainted; `bits` returns the tainted bits.
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

    /// Copies a lane's value and taint from one register to another.
    fn copy(&mut self, to: Reg, from: Reg, lane: usize) {
        let Tainted { bits, taint } = self.value(from, lane);
        let since = self.since(from, lane).unwrap_or_default();
        self.values[to as usize][lane] = bits;
        self.tainted[to as usize] &= !(1 << lane);
        self.set_taint(to, lane, taint, since);
    }

    /// Reports tainted values where none is allowed; returns the lanes that have one.
    fn refuse(&mut self, kind: Kind, reg: Reg) -> u64 {
        let dirty = self.tainted[reg as usize] & self.active;
        if let Some(lane) = lanes(dirty).next() {
            self.report(kind, lane, |this| {
                let Tainted { bits, taint } = this.value(reg, lane);
                let since = this.since(reg, lane).map(|operation| this.source(operation, lane));
                let since = since.map_or_else(String::new, |source| format!(" since {source}"));
                format!("{bits:#010x}, of which the bits {taint:#010x} may be anything{since}")
            });
        }
        dirty
    }

    fn step(&mut self, op: &Op) {
        match *op {
            Op::Unary(op, to, a) => self.unary(op, to, a),
            Op::Binary(op, to, a, b) => self.binary(op, to, a, b),
            Op::Select { to, condition, accept, reject } => self.select(to, condition, accept, reject),
            Op::Float { to, expression } => self.float(to, expression),
            Op::ExtractBits { to, signed, from, offset, count } => {
                self.extract_bits(to, signed, [from, offset, count]);
            }
            Op::InsertBits { to, into, bits, offset, count } => {
                self.insert_bits(to, [into, bits, offset, count]);
            }
            Op::Assign { to, from } => self.assign(to, from),
            Op::Address { to, base, index, stride, extent } => {
                self.address(to, base, index, (stride, extent));
            }
            Op::ReadRegister { to, first, offset } => self.read_register(to, first, offset),
            Op::WriteRegister { first, offset, from } => self.write_register(first, offset, from),
            Op::Load { to, word, atomically } => self.load(to, word, atomically),
            Op::Store { word, from, atomically } => self.store(word, from, atomically),
            Op::Atomic { op, to, word, from } => self.atomic(op, to, word, from),
            Op::CompareExchange { to, exchanged, word, compare, from } => {
                self.compare_exchange([to, exchanged], word, compare, from);
            }
            Op::Length { to, extent } => {
                self.values[to as usize] = [self.length(extent); LANES];
                self.tainted[to as usize] = 0;
            }
            _ => self.control(op),
        }
    }
}
