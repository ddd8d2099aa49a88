//! The affine step as hardware may compute it: the results of `Precision::Fast`.

use super::exact::{Dyadic, Wide, add, mul};
use super::float::Format;
use super::{Allowed, convert};
use crate::operator::Affine;
use crate::{Clamp, DType};

/// All allowed results of the affine step as elements of the destination. The first one is fused, without flushing.
pub(super) fn affine(clamp: &Clamp, affine: Affine, x: u64) -> Allowed {
    if let Some(special) = convert::special(clamp, x) {
        return Allowed::one(special);
    }
    let hardware = if clamp.dtype() == DType::F64 { Format::F64 } else { Format::F32 };
    // Scale and bias are numbers of the hardware's format.
    let (scale, bias) = convert::parameters(affine);
    let x = convert::decode(clamp.source(), x);
    let [below, above] = hardware.beside(x);
    let mut results = hardware.results(below, scale, bias);
    for &bits in hardware.results(above, scale, bias).values() {
        results.insert(bits);
    }
    results.map(|bits| hardware.narrow(clamp, bits))
}

/// Arithmetic of hardware that computes in this format and rounds each result to it.
impl Format {
    /// The two numbers of the format next to `x`; both are `x` if the format has it. `x` is an integer or a number of
    /// the format.
    fn beside(self, x: Dyadic) -> [Dyadic; 2] {
        let excess = (u64::BITS - x.magnitude.leading_zeros()).saturating_sub(self.digits());
        let below = x.magnitude >> excess << excess;
        let above = if below == x.magnitude { below } else { below + (1 << excess) };
        [below, above].map(|magnitude| Dyadic { magnitude, ..x })
    }

    /// The possible values of `x * scale + bias`, as bits of the hardware's format.
    pub(super) fn results(self, x: Dyadic, scale: Dyadic, bias: Dyadic) -> Allowed {
        let (fused, product) = (add(mul(x, scale), bias), mul(x, scale));
        let rounded = self.round(product);
        let unfused = self.add(rounded, bias);
        let mut allowed = Allowed::one(self.round(fused));
        allowed.insert(unfused);
        if [x, scale, bias].iter().any(|&operand| self.is_below_normal(operand))
            || [fused, product].iter().any(|&number| self.is_below_normal(number))
            || self.is_subnormal(unfused)
        {
            // Flushes the result only.
            for result in self.flush(fused) {
                allowed.insert(result);
            }
            allowed.insert(self.flush_sum(unfused));
            // Flushes the product only.
            for product in self.flush(product) {
                allowed.insert(self.add(product, bias));
            }
            // Flushes operands, product and result.
            let [x, scale, bias] = [x, scale, bias].map(|operand| self.flush_operand(operand));
            for result in self.flush(add(mul(x, scale), bias)) {
                allowed.insert(result);
            }
            for product in self.flush(mul(x, scale)) {
                allowed.insert(self.flush_sum(self.add(product, bias)));
            }
        }
        allowed
    }

    /// The rounded sum. A product that overflowed stays ±∞.
    fn add(self, product: u64, bias: Dyadic) -> u64 {
        if self.is_infinite(product) {
            return product;
        }
        self.round(add(self.decode(product).into(), bias))
    }

    /// The rounded number, with subnormals flushed to a zero of their sign. The first result judges the number after
    /// rounding, the second before. They differ if the number rounds up to the least normal number.
    fn flush(self, number: Wide) -> [u64; 2] {
        let rounded = self.round(number);
        let zero = rounded & self.sign();
        let after = if self.is_subnormal(rounded) { zero } else { rounded };
        [after, if self.is_below_normal(number) { zero } else { rounded }]
    }

    /// A sum of two numbers of the format, with subnormals flushed to a zero of their sign. Below the least normal
    /// number the sum is exact, so judging it before or after rounding gives the same result.
    fn flush_sum(self, bits: u64) -> u64 {
        if self.is_subnormal(bits) { bits & self.sign() } else { bits }
    }

    fn flush_operand(self, operand: Dyadic) -> Dyadic {
        let magnitude = if self.is_below_normal(operand) { 0 } else { operand.magnitude };
        Dyadic { magnitude, ..operand }
    }

    /// Rounds a second time, to an element of the destination.
    pub(super) fn narrow(self, clamp: &Clamp, bits: u64) -> u64 {
        if Format::of(clamp.dtype()) == Some(self) {
            bits
        } else if self.is_infinite(bits) {
            convert::infinite(clamp.dtype(), bits & self.sign() != 0)
        } else {
            convert::round(clamp, self.decode(bits).into())
        }
    }
}
