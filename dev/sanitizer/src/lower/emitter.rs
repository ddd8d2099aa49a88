//! Collects flat code: allocates registers, folds constants, tracks the values of variables.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::finish;
use super::weigh::weigh;
use crate::code::{Binary, Code, Float, Input, NONE, Op, Opcode, Reg, Site, Slot, Unary};
use crate::scalar;

/// The most registers in one float expression. A longer expression is cut in two.
const MOST_LEAVES: usize = 12;

#[derive(Debug, Default)]
pub(super) struct Emitter {
    pub(super) code: Code,
    /// The site of emitted operations.
    pub(super) site: u32,
    sites: FxHashMap<Site, u32>,
    constants: FxHashMap<u32, Reg>,
    known: FxHashMap<Reg, u32>,
    variables: Vec<bool>,
    /// Variables that are indexed, as first register and count.
    pub(super) arrays: Vec<(Reg, u32)>,
    /// For a variable whose value is known, a register with that value.
    pub(super) held: FxHashMap<Reg, Reg>,
    floats: FxHashMap<Reg, Arc<Float>>,
}

impl Emitter {
    /// Sets the line of emitted operations, in a call from `caller`.
    pub(super) fn set_line(&mut self, line: u32, caller: Option<u32>) {
        let site = Site { line, caller };
        let sites = &mut self.code.sites;
        self.site = *self.sites.entry(site).or_insert_with(|| {
            sites.push(site);
            sites.len() as u32 - 1
        });
    }

    fn reserve(&mut self, count: u32, variable: bool) -> Reg {
        let first = self.code.registers;
        self.code.registers += count;
        self.variables.resize(self.code.registers as usize, variable);
        first
    }

    /// Reserves consecutive registers that are assigned more than once; returns the first.
    pub(super) fn variables(&mut self, count: u32) -> Reg {
        self.reserve(count, true)
    }

    pub(super) fn slot(&mut self) -> Slot {
        self.code.slots += 1;
        self.code.slots - 1
    }

    pub(super) fn resource(&mut self, group: u32, binding: u32) -> u32 {
        let resources = &mut self.code.resources;
        let found = resources.iter().position(|&resource| resource == (group, binding));
        found.unwrap_or_else(|| {
            resources.push((group, binding));
            resources.len() - 1
        }) as u32
    }

    /// A resource in workgroup memory, of this many bytes.
    pub(super) fn shared(&mut self, size: u32) -> u32 {
        self.code.shared.push(size);
        self.resource(NONE, self.code.shared.len() as u32 - 1)
    }

    pub(super) fn constant(&mut self, value: u32) -> Reg {
        if let Some(&reg) = self.constants.get(&value) {
            return reg;
        }
        let reg = self.reserve(1, false);
        self.constants.insert(value, reg);
        self.known.insert(reg, value);
        self.code.constants.push((reg, value));
        reg
    }

    pub(super) fn input(&mut self, input: Input) -> Reg {
        if let Some((reg, _)) = self.code.inputs.iter().find(|(_, other)| *other == input) {
            return *reg;
        }
        let reg = self.reserve(1, false);
        self.code.inputs.push((reg, input));
        reg
    }

    /// The value of a constant register.
    pub(super) fn known(&self, reg: Reg) -> Option<u32> {
        self.known.get(&reg).copied()
    }

    fn push(&mut self, code: Opcode, to: Reg, operands: &[Reg]) {
        let mut from = [NONE; 4];
        from[..operands.len()].copy_from_slice(operands);
        self.code.ops.push(Op { code, to, from });
        self.code.origins.push(self.site);
    }

    /// Adds an operation; returns the register of its result.
    pub(super) fn compute(&mut self, code: Opcode, operands: &[Reg]) -> Reg {
        let to = self.reserve(1, false);
        self.push(code, to, operands);
        to
    }

    /// Adds an operation without a result; returns its position.
    pub(super) fn emit(&mut self, code: Opcode, operands: &[Reg]) -> usize {
        self.push(code, NONE, operands);
        self.code.ops.len() - 1
    }

    /// Adds a jump that is taken if no invocation is active. [`Emitter::land`] sets the label.
    pub(super) fn skip(&mut self) -> usize {
        self.emit(Opcode::Skip(0), &[])
    }

    /// Makes these jumps lead to the next operation.
    pub(super) fn land(&mut self, jumps: &[usize]) {
        for &jump in jumps {
            self.code.ops[jump].code = Opcode::Skip(self.code.ops.len() as u32);
        }
    }

    /// Assigns to consecutive variables from `first` on.
    pub(super) fn assign(&mut self, first: Reg, values: &[Reg]) {
        for (to, &from) in (first..).zip(values) {
            self.push(Opcode::Assign, to, &[from]);
            self.held.insert(to, from);
        }
    }

    /// A register with the current value of a variable.
    pub(super) fn read(&mut self, variable: Reg) -> Reg {
        if let Some(&held) = self.held.get(&variable) {
            return held;
        }
        let to = self.compute(Opcode::Assign, &[variable]);
        self.held.insert(variable, to);
        to
    }

    pub(super) fn unary(&mut self, op: Unary, a: Reg) -> Reg {
        match self.known(a).and_then(|a| scalar::unary(op, a)) {
            Some(value) => self.constant(value),
            None => self.compute(Opcode::Unary(op), &[a]),
        }
    }

    pub(super) fn binary(&mut self, op: Binary, a: Reg, b: Reg) -> Reg {
        use Binary::{Add, Or, ShiftLeft, ShiftRightI, ShiftRightU, Subtract, Xor};
        let known = (self.known(a), self.known(b));
        if let (Some(a), Some(b)) = known
            && !scalar::is_open(op, b)
            && !scalar::shifts_by_too_much(op, b)
            && let Some(value) = scalar::binary(op, a, b)
        {
            return self.constant(value);
        }
        match (op, known) {
            (Or | Xor | Add, (Some(0), _)) => b,
            (Or | Xor | Add | Subtract | ShiftLeft | ShiftRightU | ShiftRightI, (_, Some(0))) => a,
            _ => self.compute(Opcode::Binary(op), &[a, b]),
        }
    }

    pub(super) fn select(&mut self, condition: Reg, accept: Reg, reject: Reg) -> Reg {
        match self.known(condition) {
            Some(0) => reject,
            Some(_) => accept,
            None => self.compute(Opcode::Select, &[condition, accept, reject]),
        }
    }

    /// Negates a boolean.
    pub(super) fn opposite(&mut self, a: Reg) -> Reg {
        let one = self.constant(1);
        self.binary(Binary::Xor, a, one)
    }

    fn float_of(&self, reg: Reg) -> Arc<Float> {
        self.floats.get(&reg).cloned().unwrap_or_else(|| Float::Leaf(reg).into())
    }

    fn float(&mut self, float: Arc<Float>) -> Reg {
        self.code.floats.push(float.clone());
        let to = self.compute(Opcode::Float(self.code.floats.len() as u32 - 1), &[]);
        self.floats.insert(to, float);
        to
    }

    pub(super) fn negative(&mut self, a: Reg) -> Reg {
        self.float(self.float_of(a).negated())
    }

    /// A product or a sum that a device may fuse or reassociate with its operands.
    pub(super) fn joined(&mut self, join: fn(Arc<Float>, Arc<Float>) -> Float, a: Reg, b: Reg) -> Reg {
        let float = join(self.float_of(a), self.float_of(b));
        let mut leaves = 0;
        float.leaves(&mut |_| leaves += 1);
        let leaf = |reg| Float::Leaf(reg).into();
        self.float(Arc::new(if leaves <= MOST_LEAVES { float } else { join(leaf(a), leaf(b)) }))
    }

    pub(super) fn finish(mut self) -> Code {
        let is_variable = |reg: Reg| self.variables[reg as usize];
        finish::trim(&mut self.code, &self.arrays, &is_variable);
        self.code.weights = weigh(&self.code, &is_variable);
        let told: FxHashSet<Reg> = self.code.inputs.iter().map(|(reg, _)| *reg).collect();
        let is_fixed = |reg| is_variable(reg) || self.known.contains_key(&reg) || told.contains(&reg);
        finish::share_registers(&mut self.code, &is_fixed);
        self.code
    }
}
