//! Float arithmetic as a device does it: what is fused, in which order, and what becomes of subnormals.

#![allow(
    clippy::float_cmp,
    clippy::cast_precision_loss,
    reason = "floats are exact here, or are rounded on purpose"
)]

use std::sync::Arc;

use crate::code::{Binary, Float, Reg, Unary};
use crate::{Association, Device, Freedoms, HalfRounding, IntegerRounding, Subnormals};

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0xff << 23;

/// Whether these are the bits of a NaN or an infinity.
pub(crate) const fn is_special(bits: u32) -> bool {
    bits & INFINITY == INFINITY
}

const fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

const fn is_subnormal(bits: u32) -> bool {
    bits & INFINITY == 0
}

/// A step of a float expression on a stack.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Push(Reg),
    Negate,
    Multiply,
    Add,
    /// `x * y + z`, with z pushed last.
    Fused,
}

/// The steps by which a device computes an expression.
pub(crate) fn steps(expression: &Arc<Float>, device: Device) -> Vec<Step> {
    let mut steps = Vec::new();
    push(&associated(expression, device.association), device.fused, &mut steps);
    steps
}

/// The factors of a product, or the terms of a sum.
fn chain(expression: &Arc<Float>, sums: bool, parts: &mut Vec<Arc<Float>>) {
    match &**expression {
        Float::Product(a, b) if !sums => {
            chain(a, sums, parts);
            chain(b, sums, parts);
        }
        Float::Sum(a, b) if sums => {
            chain(a, sums, parts);
            chain(b, sums, parts);
        }
        _ => parts.push(expression.clone()),
    }
}

fn associated(expression: &Arc<Float>, association: Association) -> Arc<Float> {
    let sums = matches!(**expression, Float::Sum(..));
    match &**expression {
        Float::Leaf(_) => expression.clone(),
        Float::Negative(a) => Arc::new(Float::Negative(associated(a, association))),
        Float::Product(a, b) | Float::Sum(a, b) => {
            let join = if sums { Float::Sum } else { Float::Product };
            let mut parts = Vec::new();
            chain(expression, sums, &mut parts);
            if parts.len() == 2 || association == Association::Written {
                return Arc::new(join(associated(a, association), associated(b, association)));
            }
            let mut parts: Vec<_> = parts.iter().map(|part| associated(part, association)).collect();
            if association == Association::Reversed {
                parts.reverse();
            } else {
                let second = parts.remove(1);
                parts.push(second);
            }
            parts.into_iter().reduce(|a, b| Arc::new(join(a, b))).expect("a chain has parts")
        }
    }
}

/// The factors of what can be fused with an addition, and whether it is subtracted.
fn product(expression: &Arc<Float>) -> Option<(&Arc<Float>, &Arc<Float>, bool)> {
    match &**expression {
        Float::Product(a, b) => Some((a, b, false)),
        Float::Negative(a) => match &**a {
            Float::Product(a, b) => Some((a, b, true)),
            _ => None,
        },
        _ => None,
    }
}

fn push(expression: &Arc<Float>, fused: bool, steps: &mut Vec<Step>) {
    match &**expression {
        Float::Leaf(reg) => steps.push(Step::Push(*reg)),
        Float::Negative(a) => {
            push(a, fused, steps);
            steps.push(Step::Negate);
        }
        Float::Product(a, b) => {
            push(a, fused, steps);
            push(b, fused, steps);
            steps.push(Step::Multiply);
        }
        Float::Sum(a, b) => {
            let fusible =
                product(a).map(|factors| (factors, b)).or_else(|| product(b).map(|factors| (factors, a)));
            if let Some(((factor, other, negative), term)) = fusible.filter(|_| fused) {
                push(factor, fused, steps);
                if negative {
                    steps.push(Step::Negate);
                }
                push(other, fused, steps);
                push(term, fused, steps);
                steps.push(Step::Fused);
            } else {
                push(a, fused, steps);
                push(b, fused, steps);
                steps.push(Step::Add);
            }
        }
    }
}

/// Which choices of a device make a difference to an expression.
pub(crate) fn freedoms(expression: &Arc<Float>) -> Freedoms {
    let of_parts = match &**expression {
        Float::Leaf(_) => Freedoms::default(),
        Float::Negative(a) => freedoms(a),
        Float::Product(a, b) | Float::Sum(a, b) => freedoms(a).or(freedoms(b)),
    };
    let is_long = |sums| {
        let mut parts = Vec::new();
        chain(expression, sums, &mut parts);
        parts.len() > 2
    };
    let here = match &**expression {
        Float::Leaf(_) => Freedoms::default(),
        Float::Negative(_) => Freedoms { subnormals: true, ..Freedoms::default() },
        Float::Product(..) => {
            Freedoms { subnormals: true, association: is_long(false), ..Freedoms::default() }
        }
        Float::Sum(a, b) => Freedoms {
            subnormals: true,
            fusing: product(a).or(product(b)).is_some(),
            association: is_long(true),
            ..Freedoms::default()
        },
    };
    of_parts.or(here)
}

/// The choices of a device that concern single operations.
#[allow(clippy::struct_excessive_bools, reason = "they are independent")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arithmetic {
    flushes_operands: bool,
    flushes_products: bool,
    flushes_sums: bool,
    before_rounding: bool,
    integers: IntegerRounding,
    nan: bool,
    halves: HalfRounding,
}

impl Arithmetic {
    pub(crate) fn of(device: Device) -> Self {
        let Device { subnormals, tiny_before_rounding, integers, nan, halves, .. } = device;
        let all = subnormals == Subnormals::Flushed;
        Self {
            flushes_operands: all,
            flushes_products: all || subnormals == Subnormals::FlushedProducts,
            flushes_sums: all || subnormals == Subnormals::FlushedSums,
            before_rounding: tiny_before_rounding,
            integers,
            nan,
            halves,
        }
    }

    /// What an operand counts as.
    pub(crate) const fn operand(self, bits: u32) -> u32 {
        if self.flushes_operands && is_subnormal(bits) { bits & SIGN } else { bits }
    }

    /// A result, of which `is_tiny` says whether the exact one lies below the normal numbers.
    fn result(self, value: f32, flushes: bool, is_tiny: impl Fn() -> bool) -> u32 {
        let bits = value.to_bits();
        if !flushes || value == 0.0 {
            return bits;
        }
        let least = value.abs() == f32::MIN_POSITIVE;
        if is_subnormal(bits) || (least && self.before_rounding && is_tiny()) { bits & SIGN } else { bits }
    }

    pub(crate) fn product(self, x: u32, y: u32) -> u32 {
        let (x, y) = (f32::from_bits(x), f32::from_bits(y));
        let exact = || f64::from(x) * f64::from(y);
        self.result(x * y, self.flushes_products, || exact().abs() < f64::from(f32::MIN_POSITIVE))
    }

    pub(crate) fn sum(self, x: u32, y: u32) -> u32 {
        // A sum that is subnormal is exact.
        self.result(f32::from_bits(x) + f32::from_bits(y), self.flushes_sums, || false)
    }

    pub(crate) fn fused(self, x: u32, y: u32, z: u32) -> u32 {
        let [x, y, z] = [x, y, z].map(f32::from_bits);
        let is_tiny = || {
            // The exact result is a sum of two f64: of the rounded sum, and of what it lost.
            let (product, z) = (f64::from(x) * f64::from(y), f64::from(z));
            let sum = product + z;
            let part = sum - product;
            let lost = (product - (sum - part)) + (z - part);
            let least = f64::from(f32::MIN_POSITIVE);
            sum.abs() < least || (sum.abs() == least && lost != 0.0 && (lost < 0.0) == (sum > 0.0))
        };
        self.result(x.mul_add(y, z), self.flushes_sums, is_tiny)
    }

    /// `None` if the result is left open.
    pub(crate) fn unary(self, op: Unary, a: u32) -> Option<u32> {
        let x = || f32::from_bits(self.operand(a));
        let finite = |value: f32| (!is_special(a)).then_some(value.to_bits());
        match op {
            Unary::AbsF => finite(x().abs()),
            Unary::SignF => finite(if x() == 0.0 { 0.0 } else { x().signum() }),
            Unary::Floor => finite(x().floor()),
            Unary::Ceil => finite(x().ceil()),
            Unary::Trunc => finite(x().trunc()),
            Unary::Round => finite(x().round_ties_even()),
            Unary::FloatFromU => Some(self.integer(i64::from(a)).to_bits()),
            Unary::FloatFromI => Some(self.integer(i64::from(a as i32)).to_bits()),
            Unary::UFromFloat => {
                let whole = f64::from(x()).trunc();
                (!is_nan(a) && (0.0..=f64::from(u32::MAX)).contains(&whole)).then_some(whole as u32)
            }
            Unary::IFromFloat => {
                let whole = f64::from(x()).trunc();
                let range = f64::from(i32::MIN)..=f64::from(i32::MAX);
                (!is_nan(a) && range.contains(&whole)).then_some(whole as i32 as u32)
            }
            Unary::Half => self.half(self.operand(a)),
            Unary::FromHalf => self.single(a),
            _ => None,
        }
    }

    fn integer(self, number: i64) -> f32 {
        let nearest = number as f32;
        let exact = number as f64;
        let above = f64::from(nearest) > exact;
        let below = f64::from(nearest) < exact;
        match self.integers {
            IntegerRounding::Down if above => nearest.next_down(),
            IntegerRounding::Up if below => nearest.next_up(),
            _ => nearest,
        }
    }

    /// The bits of the half on one side of an f32.
    fn half(self, bits: u32) -> Option<u32> {
        let (sign, size) = (bits >> 16 & 0x8000, bits & !SIGN);
        if f32::from_bits(size) > 65504.0 || is_nan(bits) {
            return None;
        }
        // In units of the last place: a half has 10 bits behind the leading one, or counts units of 2^-24.
        let exponent = (size >> 23).max(113);
        let unit = f64::from(exponent as i32 - 127 - 10).exp2();
        let units = f64::from(f32::from_bits(size)) / unit;
        let units = match self.halves {
            HalfRounding::TowardZero => units.floor(),
            HalfRounding::AwayFromZero => units.ceil(),
        } as u32;
        let half = if units < 0x400 { units } else { ((exponent - 112) << 10) + (units - 0x400) };
        let flushed = self.flushes_operands && half < 0x400;
        Some(if flushed { sign } else { sign | half })
    }

    fn single(self, half: u32) -> Option<u32> {
        let (sign, exponent, mantissa) = ((half & 0x8000) << 16, half >> 10 & 31, half & 0x3ff);
        match exponent {
            31 => None,
            0 if self.flushes_operands => Some(sign),
            // Units of 2^-24.
            0 => Some(sign | (mantissa as f32 / 16_777_216.0).to_bits()),
            _ => Some(sign | (exponent + 112) << 23 | mantissa << 13),
        }
    }

    /// A comparison, `min` or `max`.
    pub(crate) fn binary(self, op: Binary, a: u32, b: u32) -> Option<u32> {
        let (left, right) = (self.operand(a), self.operand(b));
        let (x, y) = (f32::from_bits(left), f32::from_bits(right));
        let open = x.is_nan() || y.is_nan();
        let compared = |result: bool| Some(u32::from(if open { self.nan } else { result }));
        // Of a NaN and a number either may come out, of two zeros too.
        let picked = |second: bool| {
            let second = match (x.is_nan(), y.is_nan()) {
                (true, false) => !self.nan,
                (_, true) => self.nan,
                _ => second || (x == y && self.nan),
            };
            Some(if second { right } else { left })
        };
        match op {
            Binary::EqualF => compared(x == y),
            Binary::LessF => compared(x < y),
            Binary::LessEqualF => compared(x <= y),
            Binary::MinF => picked(y < x),
            Binary::MaxF => picked(y > x),
            _ => None,
        }
    }
}
