//! Estimates the instructions of a GPU for each operation, as its compiler would leave them: an operation with the operands
//! of an earlier one is done once, one on values that all invocations share is done by the scalar unit, and some pairs are
//! one instruction.

use rustc_hash::FxHashMap;

use crate::code::{Binary, Code, Input, NONE, Op, Opcode, Reg, Unary};

/// The most operands of a logic instruction.
const MOST_LEAVES: usize = 3;

/// What is known of a register that is assigned once.
#[derive(Clone, Copy, Default)]
struct Value {
    /// The operation that computes it, if one does.
    op: Option<usize>,
    constant: Option<u32>,
    /// Whether it is the same for all invocations.
    is_uniform: bool,
    is_bool: bool,
    uses: u32,
}

struct Weigher<'a> {
    code: &'a Code,
    values: Vec<Value>,
    /// For each register, the first one with the same value.
    same: Vec<Reg>,
    weights: Vec<u8>,
    /// Operations that another one contains, or that contain another one.
    is_joined: Vec<bool>,
    /// The operands of logic instructions.
    leaves: FxHashMap<Reg, Vec<Reg>>,
}

/// The instructions of each operation. `is_variable`: whether a register is assigned more than once.
pub(super) fn weigh(code: &Code, is_variable: &dyn Fn(Reg) -> bool) -> Vec<u8> {
    let count = code.registers as usize;
    let mut weigher = Weigher {
        code,
        values: vec![Value::default(); count],
        same: (0..code.registers).collect(),
        weights: code.ops.iter().map(|op| weight(op, code)).collect(),
        is_joined: vec![false; code.ops.len()],
        leaves: FxHashMap::default(),
    };
    for &(reg, constant) in &code.constants {
        weigher.values[reg as usize] =
            Value { constant: Some(constant), is_uniform: true, is_bool: constant <= 1, ..Value::default() };
    }
    for &(reg, input) in &code.inputs {
        weigher.values[reg as usize].is_uniform = matches!(input, Input::Workgroups(_));
    }
    weigher.number(is_variable);
    weigher.join();
    weigher.weights
}

/// The instructions of an operation by itself.
fn weight(op: &Op, code: &Code) -> u8 {
    match op.code {
        Opcode::Unary(_)
        | Opcode::Binary(_)
        | Opcode::Select
        | Opcode::ExtractBits { .. }
        | Opcode::InsertBits
        | Opcode::Address { .. } => 1,
        Opcode::Float(n) => u8::try_from(code.floats[n as usize].operations()).unwrap_or(u8::MAX),
        _ => 0,
    }
}

impl Weigher<'_> {
    fn value(&self, reg: Reg) -> Value {
        if reg == NONE { Value::default() } else { self.values[self.same[reg as usize] as usize] }
    }

    /// Finds equal values, and those that all invocations share. Counts the uses of each.
    fn number(&mut self, is_variable: &dyn Fn(Reg) -> bool) {
        let stored: Vec<_> = self.code.ops.iter().filter_map(Op::stored).collect();
        let mut met: FxHashMap<(Opcode, [Reg; 4]), Reg> = FxHashMap::default();
        for (n, op) in self.code.ops.iter().enumerate() {
            let from = op.from.map(|reg| if reg == NONE { NONE } else { self.same[reg as usize] });
            let mut operands = Vec::new();
            op.operands(&self.code.floats, &mut |reg| operands.push(self.same[reg as usize]));
            let is_fixed = op.to != NONE && !is_variable(op.to);
            let is_kept_load = matches!(op.code, Opcode::Load(word) if !stored.contains(&word.resource));
            let is_value = is_fixed && !matches!(op.code, Opcode::Assign | Opcode::ReadRegister);
            let is_value =
                is_value && (op.is_pure() || is_kept_load || matches!(op.code, Opcode::Address { .. }));
            // A copy of a register that is assigned once is that register.
            if matches!(op.code, Opcode::Assign) && is_fixed && !is_variable(op.from[0]) {
                self.same[op.to as usize] = from[0];
                continue;
            }
            if is_value {
                // Float expressions are compared by their number, which each has of its own.
                let first = *met.entry((op.code, from)).or_insert(op.to);
                if first != op.to {
                    self.same[op.to as usize] = first;
                    self.weights[n] = 0;
                    continue;
                }
                let is_uniform = operands.iter().all(|reg| self.values[*reg as usize].is_uniform);
                let is_bool =
                    is_comparison(op) || is_logic(op) && from[..2].iter().all(|reg| self.value(*reg).is_bool);
                self.values[op.to as usize] = Value { op: Some(n), is_uniform, is_bool, ..Value::default() };
                if is_uniform {
                    self.weights[n] = 0;
                }
            }
            for reg in operands {
                self.values[reg as usize].uses += 1;
            }
        }
    }

    /// The operation that computes an operand, if no other operation uses it and it may become part of this one.
    fn part(&self, reg: Reg) -> Option<(usize, &Op)> {
        let value = self.value(reg);
        let n = value.op.filter(|&n| value.uses == 1 && !self.is_joined[n] && self.weights[n] > 0)?;
        Some((n, &self.code.ops[n]))
    }

    fn absorb(&mut self, into: usize, part: usize) {
        self.weights[part] = 0;
        self.is_joined[part] = true;
        self.is_joined[into] = true;
    }

    /// Joins pairs that are one instruction.
    fn join(&mut self) {
        for n in 0..self.code.ops.len() {
            let op = self.code.ops[n];
            if self.weights[n] == 0 {
                continue;
            }
            match op.code {
                Opcode::Binary(Binary::And | Binary::Or | Binary::Xor) if self.value(op.to).is_bool => {
                    self.join_condition(n, op);
                }
                Opcode::Binary(Binary::Or) if self.is_funnel(op) => {
                    for reg in &op.from[..2] {
                        if let Some((part, _)) = self.part(*reg) {
                            self.absorb(n, part);
                        }
                    }
                }
                Opcode::Binary(Binary::And) if self.field(op).is_some() => {
                    if let Some(part) = self.field(op) {
                        self.absorb(n, part);
                    }
                }
                Opcode::Binary(Binary::And | Binary::Or | Binary::Xor) | Opcode::Unary(Unary::Not) => {
                    self.join_logic(op);
                }
                Opcode::Binary(Binary::Add | Binary::Subtract) => self.join_sum(n, op),
                _ => {}
            }
        }
    }

    /// A comparison may combine its result with another condition, and a condition may be inverted for nothing.
    fn join_condition(&mut self, n: usize, op: Op) {
        let inverts = op.from[..2].iter().any(|reg| self.value(*reg).constant.is_some());
        let compares = |reg: &&Reg| self.part(**reg).is_some_and(|(_, part)| is_comparison(part));
        if inverts || op.from[..2].iter().any(|reg| compares(&reg)) {
            self.weights[n] = 0;
        }
    }

    /// Whether two shifts put the ends of two words together.
    fn is_funnel(&self, op: Op) -> bool {
        let shift = |reg: Reg, binary: Binary| {
            let (_, part) =
                self.part(reg).filter(|(_, part)| matches!(part.code, Opcode::Binary(b) if b == binary))?;
            self.value(part.from[1]).constant
        };
        let [a, b] = [op.from[0], op.from[1]];
        let meet = |left: Option<u32>, right: Option<u32>| matches!((left, right), (Some(l), Some(r)) if l + r == 32);
        meet(shift(a, Binary::ShiftLeft), shift(b, Binary::ShiftRightU))
            || meet(shift(b, Binary::ShiftLeft), shift(a, Binary::ShiftRightU))
    }

    /// The shift by bytes whose lowest byte or bytes a mask keeps.
    fn field(&self, op: Op) -> Option<usize> {
        let mask = self.value(op.from[1]).constant?;
        let (n, part) = self.part(op.from[0])?;
        let shift = self.value(part.from[1]).constant?;
        let is_shift = matches!(part.code, Opcode::Binary(Binary::ShiftRightU));
        (is_shift && shift % 8 == 0 && matches!(mask, 0xff | 0xffff)).then_some(n)
    }

    /// A logic instruction takes three operands.
    fn join_logic(&mut self, op: Op) {
        let mut leaves = Vec::new();
        for reg in op.from.into_iter().filter(|reg| *reg != NONE) {
            leaves.push(self.same[reg as usize]);
        }
        leaves.dedup();
        for reg in leaves.clone() {
            let Some((part, _)) = self.part(reg) else { continue };
            let Some(more) = self.leaves.get(&reg) else { continue };
            let mut joined: Vec<_> = leaves.iter().copied().filter(|leaf| *leaf != reg).collect();
            joined.extend(more.iter().filter(|leaf| !leaves.contains(leaf)));
            if joined.len() <= MOST_LEAVES {
                leaves = joined;
                self.weights[part] = 0;
            }
        }
        self.leaves.insert(op.to, leaves);
    }

    /// A sum takes a product, a number shifted to the left or a third number.
    fn join_sum(&mut self, n: usize, op: Op) {
        let rank = |part: &Op| match part.code {
            Opcode::Binary(Binary::Multiply) => Some(0),
            Opcode::Binary(Binary::ShiftLeft) if self.value(part.from[1]).constant.is_some() => Some(1),
            Opcode::Binary(Binary::Add | Binary::Subtract) | Opcode::Unary(Unary::Negate) => Some(2),
            _ => None,
        };
        let parts = op.from[..2].iter().filter_map(|reg| self.part(*reg));
        let ranked = parts.filter_map(|(part, op)| Some((rank(op)?, part)));
        if let Some((_, part)) = ranked.min() {
            self.absorb(n, part);
        }
    }
}

const fn is_logic(op: &Op) -> bool {
    matches!(op.code, Opcode::Binary(Binary::And | Binary::Or | Binary::Xor))
}

const fn is_comparison(op: &Op) -> bool {
    matches!(
        op.code,
        Opcode::Binary(Binary::Equal | Binary::LessU | Binary::LessI | Binary::EqualF | Binary::LessF)
    )
}
