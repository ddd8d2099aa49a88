//! Computes operations on values.

use super::{Lanes, Machine, lanes, mask};
use crate::code::{Binary, Float, LANES, Reg, Unary};
use crate::finding::Kind;
use crate::float::{self, Arithmetic};
use crate::{scalar, taint};

impl Machine<'_> {
    /// Computes all lanes, active or not.
    #[inline]
    fn each<const N: usize>(&mut self, to: Reg, from: [Reg; N], f: impl Fn([u32; N]) -> u32) {
        let operands = from.map(|reg| &self.batch.values[reg as usize]);
        let mut results = [0; LANES];
        for (lane, result) in results.iter_mut().enumerate() {
            *result = f(operands.map(|values| values[lane]));
        }
        self.batch.values[to as usize] = results;
    }

    pub(super) fn select(&mut self, to: Reg, from: [Reg; 3]) {
        self.each(to, from, |[condition, accept, reject]| if condition != 0 { accept } else { reject });
        self.spread(to, from, |[condition, accept, reject]| taint::select(condition, accept, reject));
    }

    pub(super) fn extract_bits(&mut self, to: Reg, signed: bool, from: [Reg; 3]) {
        self.each(to, from, |[from, offset, count]| scalar::extract_bits(signed, from, offset, count));
        self.spread(to, from, |[from, offset, count]| match offset.taint | count.taint {
            0 => scalar::extract_bits(signed, from.taint, offset.bits, count.bits),
            _ => u32::MAX,
        });
    }

    pub(super) fn insert_bits(&mut self, to: Reg, from: [Reg; 4]) {
        self.each(to, from, |[into, bits, offset, count]| scalar::insert_bits(into, bits, offset, count));
        self.spread(to, from, |[into, bits, offset, count]| match offset.taint | count.taint {
            0 => scalar::insert_bits(into.taint, bits.taint, offset.bits, count.bits),
            _ => u32::MAX,
        });
    }

    pub(super) fn assign(&mut self, to: Reg, from: Reg) {
        let new = self.batch.values[from as usize];
        let out = &mut self.batch.values[to as usize];
        for lane in 0..LANES {
            let keep = (self.batch.active >> lane & 1).wrapping_sub(1) as u32;
            out[lane] = (out[lane] & keep) | (new[lane] & !keep);
        }
        let dirty = self.batch.tainted[from as usize] & self.batch.active;
        self.batch.tainted[to as usize] &= !self.batch.active;
        lanes(dirty).for_each(|lane| self.copy(to, from, lane));
    }

    pub(super) fn unary(&mut self, op: Unary, to: Reg, a: Reg) {
        macro_rules! each {
            ($($op:ident)*) => {
                match op {
                    $(Unary::$op => {
                        self.each(to, [a], |[a]| scalar::unary(Unary::$op, a).unwrap_or_default());
                    })*
                    _ => return self.float_unary(op, to, a),
                }
            };
        }
        each!(Not Negate Abs LeadingZeros);
        self.spread(to, [a], |[a]| taint::unary(op, a));
    }

    fn float_unary(&mut self, op: Unary, to: Reg, a: Reg) {
        let operand = self.batch.values[a as usize];
        let mut open = 0;
        // Skip inactive lanes: `arithmetic` notes which choices make a difference.
        for lane in lanes(self.batch.active) {
            let result = self.arithmetic.unary(op, operand[lane]);
            open |= u64::from(result.is_none()) << lane;
            self.batch.values[to as usize][lane] = result.unwrap_or_default();
        }
        self.spread(to, [a], |[a]| taint::unary(op, a));
        self.taint(to, open);
    }

    /// A comparison, `min` or `max`.
    fn float_binary(&mut self, op: Binary, to: Reg, [a, b]: [Reg; 2]) {
        let (left, right) = (self.batch.values[a as usize], self.batch.values[b as usize]);
        self.spread(to, [a, b], |[a, b]| taint::binary(op, a, b));
        for lane in lanes(self.batch.active) {
            let (bits, open) = self.arithmetic.binary(op, left[lane], right[lane]);
            self.batch.values[to as usize][lane] = bits;
            if self.batch.tainted[to as usize] >> lane & 1 == 0 {
                self.set_taint(to, lane, open, self.batch.at as u32 - 1);
            }
        }
    }

    pub(super) fn binary(&mut self, op: Binary, to: Reg, from: [Reg; 2]) {
        macro_rules! each {
            ($($op:ident)*) => {
                match op {
                    $(Binary::$op => {
                        self.each(to, from, |[a, b]| scalar::binary(Binary::$op, a, b).unwrap_or_default());
                    })*
                    _ => return self.float_binary(op, to, from),
                }
            };
        }
        each!(Add Subtract Multiply Divide Remainder And Or Xor ShiftLeft ShiftRightU ShiftRightI Equal LessU LessI
            MinU MaxU MinI MaxI);
        self.spread(to, from, |[a, b]| taint::binary(op, a, b));
        let [left, right] = from.map(|reg| &self.batch.values[reg as usize]);
        match op {
            Binary::Divide | Binary::Remainder => {
                let open = mask(|lane| scalar::is_open(op, right[lane]));
                self.taint(to, open);
            }
            Binary::ShiftLeft | Binary::ShiftRightU | Binary::ShiftRightI
                if right.iter().fold(0, |most, &n| most | n) >= 32 =>
            {
                let wrong = mask(|lane| right[lane] >= 32) & self.batch.active;
                if let Some(lane) = lanes(wrong).next() {
                    let (left, right) = (left[lane], right[lane]);
                    self.report(Kind::Shift, lane, |_| format!("{left:#x} by {right}"));
                }
            }
            _ => {}
        }
    }

    pub(super) fn float(&mut self, to: Reg, expression: usize) {
        let (active, code) = (self.batch.active, self.code);
        let (arranged, choices) = &self.floats[expression];
        let mut arithmetic = self.arithmetic;
        arithmetic.met |= choices;
        let result = evaluated(arranged, &self.batch.values, active, &mut arithmetic);
        self.arithmetic = arithmetic;
        // Lanes with a NaN or an infinity among the operands.
        let (mut special, mut dirty) = (0, 0);
        code.floats[expression].leaves(&mut |reg| {
            let values = &self.batch.values[reg as usize];
            special |= mask(|lane| float::is_special(values[lane]));
            dirty |= self.batch.tainted[reg as usize];
        });
        self.batch.values[to as usize] = result;
        self.batch.tainted[to as usize] = 0;
        for lane in lanes(dirty & active) {
            let mut since = None;
            code.floats[expression].leaves(&mut |reg| since = since.or(self.since(reg, lane)));
            self.set_taint(to, lane, u32::MAX, since.unwrap_or_default());
        }
        // Without such operands, a NaN results from infinities to which the expression overflowed.
        self.taint(to, (special | mask(|lane| f32::from_bits(result[lane]).is_nan())) & !dirty);
    }
}

/// The value of a float expression for the active lanes.
fn evaluated(float: &Float, values: &[Lanes], active: u64, arithmetic: &mut Arithmetic) -> Lanes {
    let device = arithmetic.device;
    let mut of = |float: &Float| evaluated(float, values, active, arithmetic);
    let mut out = [0; LANES];
    match float {
        Float::Leaf(reg) => {
            lanes(active).for_each(|lane| out[lane] = arithmetic.operand(values[*reg as usize][lane]));
        }
        Float::Negative(part) => out = of(part).map(|bits| bits ^ 1 << 31),
        Float::Product(left, right) => {
            let (x, y) = (of(left), of(right));
            lanes(active).for_each(|lane| out[lane] = arithmetic.product(x[lane], y[lane]));
        }
        Float::Sum(left, right) => {
            if let Some(operands) = float::fusible(left, right, device) {
                let [x, y, z] = operands.map(of);
                lanes(active).for_each(|lane| out[lane] = arithmetic.fused(x[lane], y[lane], z[lane]));
            } else {
                let (x, y) = (of(left), of(right));
                lanes(active).for_each(|lane| out[lane] = arithmetic.sum(x[lane], y[lane]));
            }
        }
    }
    out
}
