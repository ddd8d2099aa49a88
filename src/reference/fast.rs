//! The affine step as hardware may compute it: the results that `Precision::Fast` allows.

use super::exact::{Dyadic, add, mul};
use super::float::Format;
use super::{Allowed, convert};
use crate::{Affine, Clamp, DType};

/// Every allowed result of the affine step as an element of the destination, the fused one without flushing first.
pub(super) fn affine(clamp: &Clamp, affine: Affine, x: u64) -> Allowed {
    if let Some(special) = convert::special(clamp, x) {
        return Allowed::one(special);
    }
    let hardware = Hardware { format: if clamp.dtype() == DType::F64 { Format::F64 } else { Format::F32 } };
    // Each of the three is a number of the hardware's format too.
    let x = convert::decode(clamp.source(), x);
    let (scale, bias) = convert::parameters(affine);
    let results = |x| hardware.results(x, scale, bias).map(|bits| hardware.narrow(clamp, bits));
    if (clamp.source(), clamp.dtype()) == (DType::F16, DType::F16) {
        with_flushed_f16(x, results)
    } else {
        results(x)
    }
}

/// The results from F16 to F16, where conversions in hardware may flush subnormals of F16: before the step, after it,
/// or both.
fn with_flushed_f16(x: Dyadic, results: impl Fn(Dyadic) -> Allowed) -> Allowed {
    let mut allowed = results(x);
    if Format::F16.is_below_normal(x) {
        for &bits in results(Dyadic { magnitude: 0, ..x }).values() {
            allowed.insert(bits);
        }
    }
    for &bits in { allowed }.values() {
        allowed.insert(flushed(Format::F16, bits));
    }
    allowed
}

/// A subnormal becomes a zero of its sign.
fn flushed(format: Format, bits: u64) -> u64 {
    if format.is_subnormal(bits) { bits & format.sign() } else { bits }
}

/// Arithmetic that rounds each result to the format that a GPU computes in.
#[derive(Clone, Copy)]
struct Hardware {
    format: Format,
}

impl Hardware {
    /// What `x * scale + bias` may be, as bits of the hardware's format.
    fn results(self, x: Dyadic, scale: Dyadic, bias: Dyadic) -> Allowed {
        let fused = self.fused(x, scale, bias);
        let product = self.mul(x, scale);
        let unfused = self.add(product, bias);
        let mut allowed = Allowed::one(fused);
        allowed.insert(unfused);
        if [x, scale, bias].iter().any(|&operand| self.format.is_below_normal(operand))
            || [fused, product, unfused].iter().any(|&bits| self.format.is_subnormal(bits))
        {
            // The result only.
            allowed.insert(self.flush(fused));
            allowed.insert(self.flush(unfused));
            // The product only.
            allowed.insert(self.add(self.flush(product), bias));
            // Everywhere.
            let [x, scale, bias] = [x, scale, bias].map(|operand| self.flush_operand(operand));
            allowed.insert(self.flush(self.fused(x, scale, bias)));
            allowed.insert(self.flush(self.add(self.flush(self.mul(x, scale)), bias)));
        }
        allowed
    }

    fn fused(self, x: Dyadic, scale: Dyadic, bias: Dyadic) -> u64 {
        self.format.round(add(mul(x, scale), bias))
    }

    fn mul(self, x: Dyadic, scale: Dyadic) -> u64 {
        self.format.round(mul(x, scale))
    }

    /// The product may have overflowed; ∞ plus a finite bias is ∞.
    fn add(self, product: u64, bias: Dyadic) -> u64 {
        if self.format.is_infinite(product) {
            return product;
        }
        self.format.round(add(self.format.decode(product).into(), bias))
    }

    fn flush(self, bits: u64) -> u64 {
        flushed(self.format, bits)
    }

    fn flush_operand(self, operand: Dyadic) -> Dyadic {
        let magnitude = if self.format.is_below_normal(operand) { 0 } else { operand.magnitude };
        Dyadic { magnitude, ..operand }
    }

    /// The second rounding, to an element of the destination.
    fn narrow(self, clamp: &Clamp, bits: u64) -> u64 {
        if Format::of(clamp.dtype()) == Some(self.format) {
            bits
        } else if self.format.is_infinite(bits) {
            convert::infinite(clamp.dtype(), bits & self.format.sign() != 0)
        } else {
            convert::round(clamp, self.format.decode(bits).into())
        }
    }
}
