//! Collects flat code: allocates registers, folds constants, tracks the values of variables.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::finish;
use crate::code::{Binary, Code, Extent, Float, Input, Op, Reg, Site, Slot, Unary};
use crate::scalar;

/// The most registers in one float expression. A longer one is cut in two.
const MOST_LEAVES: usize = 12;

#[derive(Debug, Default)]
pub(super) struct Registers {
    pub(super) code: Code,
    /// The site of emitted operations.
    site: u32,
    sites: FxHashMap<Site, u32>,
    constants: FxHashMap<u32, Reg>,
    known: FxHashMap<Reg, u32>,
    variables: Vec<bool>,
    /// Variables that are indexed, as first register and count.
    arrays: Vec<(Reg, u32)>,
    /// For a variable whose value is known, a register with that value.
    held: FxHashMap<Reg, Reg>,
    floats: FxHashMap<Reg, Arc<Float>>,
    /// Slots to which invocations go.
    used: Vec<Slot>,
}

impl Registers {
    /// The line of emitted operations.
    pub(super) fn line(&self) -> u32 {
        self.code.sites.get(self.site as usize).map_or(0, |site| site.line)
    }

    /// Sets the line of emitted operations, in a call from `caller`.
    pub(super) fn set_line(&mut self, line: u32, caller: Option<u32>) {
        let site = Site { line, caller };
        let sites = &mut self.code.sites;
        self.site = *self.sites.entry(site).or_insert_with(|| {
            sites.push(site);
            sites.len() as u32 - 1
        });
    }

    /// The site of emitted operations.
    pub(super) fn site(&self) -> u32 {
        self.site
    }

    /// Returns to an earlier site.
    pub(super) fn return_to(&mut self, site: u32) {
        self.site = site;
    }

    fn reserve(&mut self, count: u32, variable: bool) -> Reg {
        let first = self.code.registers;
        self.code.registers += count;
        self.variables.resize(self.code.registers as usize, variable);
        first
    }

    pub(super) fn register(&mut self) -> Reg {
        self.reserve(1, false)
    }

    /// Reserves consecutive registers that are assigned more than once; returns the first.
    pub(super) fn variables(&mut self, count: u32) -> Reg {
        self.reserve(count, true)
    }

    /// Notes that `count` variables from `first` on are indexed.
    pub(super) fn array(&mut self, first: Reg, count: u32) {
        self.arrays.push((first, count));
    }

    pub(super) fn slot(&mut self) -> Slot {
        self.code.slots += 1;
        self.code.slots - 1
    }

    pub(super) fn counter(&mut self) -> u32 {
        self.code.counters += 1;
        self.code.counters - 1
    }

    pub(super) fn resource(&mut self, group: u32, binding: u32) -> u32 {
        let resources = &mut self.code.resources;
        let found = resources.iter().position(|&resource| resource == (group, binding));
        found.unwrap_or_else(|| {
            resources.push((group, binding));
            resources.len() - 1
        }) as u32
    }

    pub(super) fn constant(&mut self, value: u32) -> Reg {
        if let Some(&reg) = self.constants.get(&value) {
            return reg;
        }
        let reg = self.register();
        self.constants.insert(value, reg);
        self.known.insert(reg, value);
        self.code.constants.push((reg, value));
        reg
    }

    pub(super) fn input(&mut self, input: Input) -> Reg {
        if let Some((reg, _)) = self.code.inputs.iter().find(|(_, other)| *other == input) {
            return *reg;
        }
        let reg = self.register();
        self.code.inputs.push((reg, input));
        reg
    }

    /// The value of a constant register.
    pub(super) fn known(&self, reg: Reg) -> Option<u32> {
        self.known.get(&reg).copied()
    }

    /// Adds an operation; returns its position.
    pub(super) fn emit(&mut self, op: Op) -> usize {
        if let Op::Go { to } = op {
            self.used.push(to);
        }
        self.code.ops.push(op);
        self.code.origins.push(self.site);
        self.code.ops.len() - 1
    }

    /// Whether invocations go to a slot.
    pub(super) fn is_used(&self, slot: Slot) -> bool {
        self.used.contains(&slot)
    }

    /// Removes the operation at a position if it is the last one.
    pub(super) fn remove_if_last(&mut self, at: usize) {
        if at + 1 == self.code.ops.len() {
            self.code.ops.pop();
            self.code.origins.pop();
        }
    }

    /// Makes these jumps lead to the next operation.
    pub(super) fn land(&mut self, jumps: &[usize]) {
        let here = self.code.ops.len() as u32;
        for &jump in jumps {
            match &mut self.code.ops[jump] {
                Op::If { otherwise: to, .. } | Op::Else { end: to, .. } | Op::SkipIfNone { to } => *to = here,
                other => unreachable!("{other:?} leads nowhere"),
            }
        }
    }

    /// A copy of what is known of variables.
    pub(super) fn remembered(&self) -> FxHashMap<Reg, Reg> {
        self.held.clone()
    }

    pub(super) fn remember(&mut self, held: FxHashMap<Reg, Reg>) {
        self.held = held;
    }

    pub(super) fn forget(&mut self) {
        self.held.clear();
    }

    /// Forgets what these variables hold.
    pub(super) fn forget_some(&mut self, first: Reg, count: u32) {
        self.held.retain(|variable, _| !(first..first + count).contains(variable));
    }

    /// Assigns to consecutive variables from `first` on.
    pub(super) fn assign_all(&mut self, first: Reg, values: &[Reg]) {
        for (to, &from) in (first..).zip(values) {
            self.emit(Op::Assign { to, from });
            self.held.insert(to, from);
        }
    }

    /// A register with the current value of a variable.
    pub(super) fn read(&mut self, variable: Reg) -> Reg {
        if let Some(&held) = self.held.get(&variable) {
            return held;
        }
        let to = self.register();
        self.emit(Op::Assign { to, from: variable });
        self.held.insert(variable, to);
        to
    }

    pub(super) fn unary(&mut self, op: Unary, a: Reg) -> Reg {
        if let Some(value) = self.known(a).and_then(|a| scalar::unary(op, a)) {
            return self.constant(value);
        }
        let to = self.register();
        self.emit(Op::Unary(op, to, a));
        to
    }

    pub(super) fn binary(&mut self, op: Binary, a: Reg, b: Reg) -> Reg {
        let known = (self.known(a), self.known(b));
        if let (Some(a), Some(b)) = known
            && !scalar::is_open(op, a, b)
            && !scalar::shifts_by_too_much(op, b)
            && let Some(value) = scalar::binary(op, a, b)
        {
            return self.constant(value);
        }
        match (op, known) {
            (Binary::Or | Binary::Xor | Binary::Add, (Some(0), _)) => return b,
            (
                Binary::Or
                | Binary::Xor
                | Binary::Add
                | Binary::Subtract
                | Binary::ShiftLeft
                | Binary::ShiftRightU
                | Binary::ShiftRightI,
                (_, Some(0)),
            ) => return a,
            _ => {}
        }
        let to = self.register();
        self.emit(Op::Binary(op, to, a, b));
        to
    }

    pub(super) fn select(&mut self, condition: Reg, accept: Reg, reject: Reg) -> Reg {
        if let Some(condition) = self.known(condition) {
            return if condition != 0 { accept } else { reject };
        }
        let to = self.register();
        self.emit(Op::Select { to, condition, accept, reject });
        to
    }

    /// Negates a boolean.
    pub(super) fn opposite(&mut self, a: Reg) -> Reg {
        let one = self.constant(1);
        self.binary(Binary::Xor, a, one)
    }

    pub(super) fn extract_bits(&mut self, signed: bool, from: Reg, offset: Reg, count: Reg) -> Reg {
        let to = self.register();
        self.emit(Op::ExtractBits { to, signed, from, offset, count });
        to
    }

    pub(super) fn insert_bits(&mut self, into: Reg, bits: Reg, offset: Reg, count: Reg) -> Reg {
        let to = self.register();
        self.emit(Op::InsertBits { to, into, bits, offset, count });
        to
    }

    /// Reads the element at `index` of an array of `count` elements, each of `stride` registers.
    pub(super) fn indexed(&mut self, registers: &[Reg], index: Reg, count: u32, stride: u32) -> Vec<Reg> {
        let first = self.variables(registers.len() as u32);
        self.array(first, registers.len() as u32);
        self.assign_all(first, registers);
        let offset = self.register();
        let extent = Extent::Fixed(count);
        self.emit(Op::Address { to: offset, base: None, index, stride, extent });
        self.read_at(first..first + stride, offset)
    }

    /// Reads the registers that lie `offset` behind these variables.
    pub(super) fn read_at(&mut self, variables: Range<Reg>, offset: Reg) -> Vec<Reg> {
        let read = |first| {
            let to = self.register();
            self.emit(Op::ReadRegister { to, first, offset });
            to
        };
        variables.map(read).collect()
    }

    fn float_of(&self, reg: Reg) -> Arc<Float> {
        self.floats.get(&reg).cloned().unwrap_or_else(|| leaf(reg))
    }

    fn float(&mut self, float: Arc<Float>) -> Reg {
        let to = self.register();
        self.floats.insert(to, float.clone());
        self.code.floats.push(float);
        self.emit(Op::Float { to, expression: self.code.floats.len() as u32 - 1 });
        to
    }

    pub(super) fn negative(&mut self, a: Reg) -> Reg {
        self.float(self.float_of(a).negated())
    }

    /// A product or a sum that a device may fuse or reassociate with its operands.
    pub(super) fn joined(&mut self, join: fn(Arc<Float>, Arc<Float>) -> Float, a: Reg, b: Reg) -> Reg {
        let (left, right) = (self.float_of(a), self.float_of(b));
        let fits = left.size() + right.size() <= MOST_LEAVES;
        self.float(Arc::new(if fits { join(left, right) } else { join(leaf(a), leaf(b)) }))
    }

    /// `a - b`.
    pub(super) fn difference(&mut self, a: Reg, b: Reg) -> Reg {
        let opposite = self.negative(b);
        self.joined(Float::Sum, a, opposite)
    }

    pub(super) fn finish(mut self) -> Code {
        let is_variable = |reg: Reg| self.variables[reg as usize];
        finish::trim(&mut self.code, &self.arrays, &is_variable);
        let told: FxHashSet<Reg> = self.code.inputs.iter().map(|(reg, _)| *reg).collect();
        let is_fixed = |reg| is_variable(reg) || self.known.contains_key(&reg) || told.contains(&reg);
        finish::share_registers(&mut self.code, &is_fixed);
        self.code
    }
}

fn leaf(reg: Reg) -> Arc<Float> {
    Arc::new(Float::Leaf { reg, negative: false })
}
