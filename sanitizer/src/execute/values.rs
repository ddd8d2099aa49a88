//! Computes operations on values.

use super::{Machine, lanes, mask};
use crate::code::{Binary, LANES, Reg, Unary};
use crate::finding::Kind;
use crate::float::{self, Step};
use crate::{scalar, taint};

impl Machine<'_> {
    pub(super) fn select(&mut self, to: Reg, condition: Reg, accept: Reg, reject: Reg) {
        let [c, a, r] = [condition, accept, reject].map(|reg| self.values[reg as usize]);
        let out = &mut self.values[to as usize];
        for lane in 0..LANES {
            out[lane] = if c[lane] != 0 { a[lane] } else { r[lane] };
        }
        self.spread(to, [condition, accept, reject], |[c, a, r]| taint::select(c, a, r));
    }

    pub(super) fn extract_bits(&mut self, to: Reg, signed: bool, [from, offset, count]: [Reg; 3]) {
        let [f, o, c] = [from, offset, count].map(|reg| self.values[reg as usize]);
        for lane in 0..LANES {
            self.values[to as usize][lane] = scalar::extract_bits(signed, f[lane], o[lane], c[lane]);
        }
        self.spread(to, [from, offset, count], |[from, offset, count]| match offset.taint | count.taint {
            0 => scalar::extract_bits(signed, from.taint, offset.bits, count.bits),
            _ => u32::MAX,
        });
    }

    pub(super) fn insert_bits(&mut self, to: Reg, [into, bits, offset, count]: [Reg; 4]) {
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

    pub(super) fn assign(&mut self, to: Reg, from: Reg) {
        let new = self.values[from as usize];
        let out = &mut self.values[to as usize];
        for lane in 0..LANES {
            let keep = (self.active >> lane & 1).wrapping_sub(1) as u32;
            out[lane] = (out[lane] & keep) | (new[lane] & !keep);
        }
        let dirty = self.tainted[from as usize] & self.active;
        self.tainted[to as usize] &= !self.active;
        lanes(dirty).for_each(|lane| self.copy(to, from, lane));
    }

    pub(super) fn unary(&mut self, op: Unary, to: Reg, a: Reg) {
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
        self.spread(to, [a], |[a]| taint::unary(op, a));
    }

    fn float_unary(&mut self, op: Unary, to: Reg, a: Reg) {
        let operand = self.values[a as usize];
        let mut open = 0;
        // Skip inactive lanes: `arithmetic` notes which choices make a difference.
        for lane in lanes(self.active) {
            let result = self.arithmetic.unary(op, operand[lane]);
            open |= u64::from(result.is_none()) << lane;
            self.values[to as usize][lane] = result.unwrap_or_default();
        }
        self.spread(to, [a], |[a]| taint::unary(op, a));
        self.taint(to, open);
    }

    /// A comparison, `min` or `max`.
    fn float_binary(&mut self, op: Binary, to: Reg, a: Reg, b: Reg) {
        let (left, right) = (self.values[a as usize], self.values[b as usize]);
        self.spread(to, [a, b], |[a, b]| taint::binary(op, a, b));
        for lane in lanes(self.active) {
            let (bits, open) = self.arithmetic.binary(op, left[lane], right[lane]);
            self.values[to as usize][lane] = bits;
            if self.tainted[to as usize] >> lane & 1 == 0 {
                self.set_taint(to, lane, open, self.at as u32 - 1);
            }
        }
    }

    pub(super) fn binary(&mut self, op: Binary, to: Reg, a: Reg, b: Reg) {
        macro_rules! each {
            ($($op:ident)*) => {{
                let (left, right) = (self.values[a as usize], self.values[b as usize]);
                let out = &mut self.values[to as usize];
                match op {
                    $(Binary::$op => for lane in 0..LANES {
                        out[lane] = scalar::binary(Binary::$op, left[lane], right[lane]).unwrap_or_default();
                    })*
                    _ => return self.float_binary(op, to, a, b),
                }
                (left, right)
            }};
        }
        let (left, right) = each!(Add Subtract Multiply DivideU DivideI RemainderU RemainderI And Or Xor ShiftLeft
            ShiftRightU ShiftRightI Equal LessU LessI MinU MaxU MinI MaxI);
        self.spread(to, [a, b], |[a, b]| taint::binary(op, a, b));
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

    pub(super) fn float(&mut self, to: Reg, expression: u32) {
        let (active, mut arithmetic, code) = (self.active, self.arithmetic, self.code);
        let (steps, freedoms) = &self.floats[expression as usize];
        arithmetic.met = arithmetic.met.or(*freedoms);
        let mut stack = std::mem::take(&mut self.stack);
        // Lanes with a NaN or an infinity among the operands.
        let (mut special, mut dirty) = (0, 0);
        for step in steps {
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
            if let Step::Push(reg) = *step {
                let values = &self.values[reg as usize];
                dirty |= self.tainted[reg as usize];
                special |= mask(|lane| float::is_special(values[lane]));
                lanes(active).for_each(|lane| out[lane] = arithmetic.operand(values[lane]));
            } else {
                for lane in lanes(active) {
                    out[lane] = match step {
                        Step::Multiply => arithmetic.product(x[lane], y[lane]),
                        Step::Add => arithmetic.sum(x[lane], y[lane]),
                        Step::Fused => arithmetic.fused(x[lane], y[lane], z[lane]),
                        _ => x[lane] ^ 1 << 31,
                    };
                }
            }
            stack.push(out);
        }
        let result = stack.pop().expect("the steps leave a result");
        (self.stack, self.arithmetic) = (stack, arithmetic);
        self.values[to as usize] = result;
        self.tainted[to as usize] = 0;
        for lane in lanes(dirty & active) {
            let mut since = None;
            code.floats[expression as usize].leaves(&mut |reg| since = since.or(self.since(reg, lane)));
            self.set_taint(to, lane, u32::MAX, since.unwrap_or_default());
        }
        // Without such operands, a NaN results from infinities to which the expression overflowed.
        self.taint(to, (special | mask(|lane| f32::from_bits(result[lane]).is_nan())) & !dirty);
    }
}
