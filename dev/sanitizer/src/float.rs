//! Float arithmetic as a device does it: fusing, grouping, rounding and flushing.

#![allow(
    clippy::float_cmp,
    clippy::cast_precision_loss,
    reason = "floats are exact here, or are rounded on purpose"
)]

use std::sync::Arc;

use crate::code::{Binary, Float, Unary};
use crate::device::choice;
use crate::{Association, Device, Fusion, HalfRounding, IntegerRounding, Subnormals};

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

/// Collects the factors of a product or, if `sums`, the terms of a sum; negates terms that are subtracted.
fn chain(expression: &Arc<Float>, sums: bool, negative: bool, parts: &mut Vec<Arc<Float>>) {
    match &**expression {
        Float::Product(a, b) if !sums => [a, b].into_iter().for_each(|part| chain(part, sums, false, parts)),
        Float::Sum(a, b) if sums => [a, b].into_iter().for_each(|part| chain(part, sums, negative, parts)),
        Float::Negative(a) if sums => chain(a, sums, !negative, parts),
        _ => parts.push(if negative { expression.negated() } else { expression.clone() }),
    }
}

/// The expression as a device groups it.
pub(crate) fn arranged(expression: &Arc<Float>, device: Device) -> Arc<Float> {
    let association = device.association;
    let (join, a, b): (fn(_, _) -> _, _, _) = match &**expression {
        Float::Product(a, b) => (Float::Product, a, b),
        Float::Sum(a, b) => (Float::Sum, a, b),
        Float::Negative(a) => return arranged(a, device).negated(),
        Float::Leaf(_) => return expression.clone(),
    };
    let sums = matches!(**expression, Float::Sum(..));
    let mut parts = Vec::new();
    chain(expression, sums, false, &mut parts);
    if parts.len() == 2 || association == Association::Written {
        return Arc::new(join(arranged(a, device), arranged(b, device)));
    }
    let mut parts: Vec<_> = parts.iter().map(|part| arranged(part, device)).collect();
    if association == Association::Reversed {
        // A chain nested to the left, `(a + b) + c`, becomes `(c + b) + a`; one nested to the right, `a + (b + c)`,
        // becomes `(a + b) + c`.
        let mut first = Vec::new();
        chain(a, sums, false, &mut first);
        if first.len() > 1 {
            parts.reverse();
        }
    } else {
        parts[1..].rotate_left(1);
    }
    parts.into_iter().reduce(|a, b| Arc::new(join(a, b))).expect("a chain has parts")
}

/// The choices of a device that make a difference to an expression. Subnormals are left out: they depend on operands.
pub(crate) fn choices(expression: &Arc<Float>) -> u8 {
    let (Float::Product(a, b) | Float::Sum(a, b)) = &**expression else {
        return if let Float::Negative(a) = &**expression { choices(a) } else { 0 };
    };
    let is_sum = matches!(**expression, Float::Sum(..));
    let mut parts = Vec::new();
    chain(expression, is_sum, false, &mut parts);
    // Count the products of the whole chain, because a device may add its parts in any order.
    let products = parts.iter().filter(|part| matches!(***part, Float::Product(..))).count();
    let here = [
        (choice::FUSING, is_sum && products > 0),
        (choice::FUSING_RIGHT, is_sum && products > 1),
        (choice::ASSOCIATION, parts.len() > 2),
    ];
    here.iter().filter(|(_, is_met)| *is_met).fold(choices(a) | choices(b), |all, (choice, _)| all | choice)
}

/// The factors and the term of `a + b` if the device fuses them.
pub(crate) fn fusible<'a>(a: &'a Float, b: &'a Float, device: Device) -> Option<[&'a Float; 3]> {
    let fused = |product: &'a Float, term: &'a Float| match product {
        Float::Product(x, y) => Some([&**x, &**y, term]),
        _ => None,
    };
    match device.fusion {
        Fusion::Never => None,
        Fusion::Left => fused(a, b).or_else(|| fused(b, a)),
        Fusion::Right => fused(b, a).or_else(|| fused(a, b)),
    }
}

/// The arithmetic of a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arithmetic {
    pub(crate) device: Device,
    /// The choices that have made a difference so far.
    pub(crate) met: u8,
}

impl Arithmetic {
    /// An operand as the device sees it, flushed or not.
    pub(crate) fn operand(&mut self, bits: u32) -> u32 {
        if !is_subnormal(bits) || bits & !SIGN == 0 {
            return bits;
        }
        self.met |= choice::SUBNORMALS;
        if self.device.subnormals == Subnormals::Flushed { bits & SIGN } else { bits }
    }

    /// A result as the device gives it, flushed or not. `kind`: the setting that flushes only the results of this
    /// operation. `is_tiny`: for a `value` of the least normal magnitude, whether the exact magnitude is less.
    fn result(&mut self, value: f32, kind: Subnormals, is_tiny: impl Fn() -> bool) -> u32 {
        let bits = value.to_bits();
        if value == 0.0 || value.abs() > f32::MIN_POSITIVE || value.is_nan() {
            return bits;
        }
        let is_least = value.abs() == f32::MIN_POSITIVE;
        if is_least && !is_tiny() {
            return bits;
        }
        self.met |= choice::SUBNORMALS;
        let flushes = self.device.subnormals == Subnormals::Flushed || self.device.subnormals == kind;
        if flushes && (!is_least || self.device.tiny_before_rounding) { bits & SIGN } else { bits }
    }

    pub(crate) fn product(&mut self, x: u32, y: u32) -> u32 {
        let (x, y) = (f32::from_bits(x), f32::from_bits(y));
        // The product is exact in an f64.
        let is_tiny = || (f64::from(x) * f64::from(y)).abs() < f64::from(f32::MIN_POSITIVE);
        self.result(x * y, Subnormals::FlushedProducts, is_tiny)
    }

    pub(crate) fn sum(&mut self, x: u32, y: u32) -> u32 {
        // A sum this small is exact.
        self.result(f32::from_bits(x) + f32::from_bits(y), Subnormals::FlushedSums, || false)
    }

    pub(crate) fn fused(&mut self, x: u32, y: u32, z: u32) -> u32 {
        let [x, y, z] = [x, y, z].map(f32::from_bits);
        let is_tiny = || {
            // `sum + lost` is the exact result.
            let (product, z) = (f64::from(x) * f64::from(y), f64::from(z));
            let sum = product + z;
            let part = sum - product;
            let lost = (product - (sum - part)) + (z - part);
            let least = f64::from(f32::MIN_POSITIVE);
            sum.abs() < least || (sum.abs() == least && lost != 0.0 && (lost < 0.0) == (sum > 0.0))
        };
        self.result(x.mul_add(y, z), Subnormals::FlushedSums, is_tiny)
    }

    /// Applies a unary operation; `None` if WGSL leaves the result open.
    pub(crate) fn unary(&mut self, op: Unary, a: u32) -> Option<u32> {
        let x = match op {
            Unary::FloatFromU => return Some(self.integer(i64::from(a)).to_bits()),
            Unary::FloatFromI => return Some(self.integer(i64::from(a as i32)).to_bits()),
            Unary::FromHalf => return self.single(a),
            _ => f32::from_bits(self.operand(a)),
        };
        match op {
            Unary::Round => (!is_special(a)).then_some(x.round_ties_even().to_bits()),
            Unary::UFromFloat => {
                let whole = f64::from(x).trunc();
                (!is_nan(a) && (0.0..=f64::from(u32::MAX)).contains(&whole)).then_some(whole as u32)
            }
            Unary::IFromFloat => {
                let whole = f64::from(x).trunc();
                let range = f64::from(i32::MIN)..=f64::from(i32::MAX);
                (!is_nan(a) && range.contains(&whole)).then_some(whole as i32 as u32)
            }
            Unary::Half => self.half(x.to_bits()),
            _ => None,
        }
    }

    fn integer(&mut self, number: i64) -> f32 {
        let nearest = number as f32;
        // An f64 holds every u32 and i32.
        let (exact, rounded) = (number as f64, f64::from(nearest));
        if exact != rounded {
            self.met |= choice::INTEGERS;
        }
        match self.device.integers {
            IntegerRounding::Down if rounded > exact => nearest.next_down(),
            IntegerRounding::Up if rounded < exact => nearest.next_up(),
            _ => nearest,
        }
    }

    /// The bits of the half to which the device rounds an f32; `None` for a NaN or beyond ±65504.
    fn half(&mut self, bits: u32) -> Option<u32> {
        let (sign, size) = (bits >> 16 & 0x8000, bits & !SIGN);
        if f32::from_bits(size) > 65504.0 || is_nan(bits) {
            return None;
        }
        // Count in units of the half's last place: 10 bits follow the leading 1; subnormal halves count units of
        // 2^-24.
        let exponent = (size >> 23).max(113);
        let unit = f64::from(exponent as i32 - 127 - 10).exp2();
        let exact = f64::from(f32::from_bits(size)) / unit;
        if exact.fract() != 0.0 {
            self.met |= choice::HALVES;
        }
        let units = match self.device.halves {
            HalfRounding::Nearest => exact.round_ties_even(),
            HalfRounding::TowardZero => exact.floor(),
            HalfRounding::AwayFromZero => exact.ceil(),
        } as u32;
        let half = if units < 0x400 { units } else { ((exponent - 112) << 10) + (units - 0x400) };
        Some(sign | self.subnormal_half(half, units < 0x400 && units > 0))
    }

    fn single(&mut self, half: u32) -> Option<u32> {
        let (sign, exponent, mantissa) = ((half & 0x8000) << 16, half >> 10 & 31, half & 0x3ff);
        let mantissa = self.subnormal_half(mantissa, exponent == 0 && mantissa > 0);
        match exponent {
            31 => None,
            // Units of 2^-24.
            0 => Some(sign | (mantissa as f32 / 16_777_216.0).to_bits()),
            _ => Some(sign | (exponent + 112) << 23 | mantissa << 13),
        }
    }

    /// A half without its sign, or 0 where it is subnormal and flushed.
    fn subnormal_half(&mut self, half: u32, is_subnormal: bool) -> u32 {
        if is_subnormal {
            self.met |= choice::SUBNORMALS;
        }
        if is_subnormal && self.device.subnormals == Subnormals::Flushed { 0 } else { half }
    }

    /// Applies a comparison, `min` or `max`; also returns which bits of the result are left open.
    pub(crate) fn binary(&mut self, op: Binary, a: u32, b: u32) -> (u32, u32) {
        let (left, right) = (self.operand(a), self.operand(b));
        let (x, y) = (f32::from_bits(left), f32::from_bits(right));
        let is_open = x.is_nan() || y.is_nan();
        let compared = |result: bool| (u32::from(result), u32::from(is_open));
        // If both operands are zeros or subnormals, WGSL allows either as the result.
        let alike = is_subnormal(a) && is_subnormal(b);
        let open = if is_open { u32::MAX } else { (a ^ b) & u32::from(alike).wrapping_neg() };
        let picked = |second: bool| (if second { right } else { left }, open);
        match op {
            Binary::EqualF => compared(x == y),
            Binary::LessF => compared(x < y),
            Binary::MinF => picked(y < x),
            _ => picked(y > x),
        }
    }
}
