//! The affine step as hardware may compute it: the results that `Precision::Fast` allows.

use super::Allowed;
use super::exact::{Dyadic, add, mul};
use super::float::{Format, affine_special};
use crate::Affine;

/// Every allowed result of the affine step, the fused one without flushing first.
pub(super) fn affine(format: Format, affine: Affine, x: u64) -> Allowed {
    if let Some(special) = affine_special(format, affine, x) {
        return Allowed::one(special);
    }
    let hardware = Hardware { format: if format == Format::F64 { Format::F64 } else { Format::F32 } };
    // Each of the three is a number of the hardware's format too.
    let x = format.decode(x);
    let scale = Format::F64.decode(affine.scale().to_bits());
    let bias = Format::F64.decode(affine.bias().to_bits());

    let fused = hardware.fused(x, scale, bias);
    let product = hardware.mul(x, scale);
    let unfused = hardware.add(product, bias);
    let mut allowed = Allowed::one(fused);
    allowed.insert(unfused);
    if [x, scale, bias].iter().any(|&operand| hardware.format.is_below_normal(operand))
        || [fused, product, unfused].iter().any(|&bits| hardware.format.is_subnormal(bits))
    {
        // The result only.
        allowed.insert(hardware.flush(fused));
        allowed.insert(hardware.flush(unfused));
        // The product only.
        allowed.insert(hardware.add(hardware.flush(product), bias));
        // Everywhere.
        let [x, scale, bias] = [x, scale, bias].map(|operand| hardware.flush_operand(operand));
        allowed.insert(hardware.flush(hardware.fused(x, scale, bias)));
        allowed.insert(hardware.flush(hardware.add(hardware.flush(hardware.mul(x, scale)), bias)));
    }
    if format == hardware.format { allowed } else { allowed.map(|bits| hardware.narrow(format, bits)) }
}

/// Arithmetic that rounds each result to the format that a GPU computes in.
#[derive(Clone, Copy)]
struct Hardware {
    format: Format,
}

impl Hardware {
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

    /// A subnormal becomes a zero of its sign.
    fn flush(self, bits: u64) -> u64 {
        if self.format.is_subnormal(bits) { bits & self.format.sign() } else { bits }
    }

    fn flush_operand(self, operand: Dyadic) -> Dyadic {
        let magnitude = if self.format.is_below_normal(operand) { 0 } else { operand.magnitude };
        Dyadic { magnitude, ..operand }
    }

    /// The second rounding, to the format of the element.
    fn narrow(self, element: Format, bits: u64) -> u64 {
        if !self.format.is_infinite(bits) {
            return element.round(self.format.decode(bits).into());
        }
        let sign = if bits & self.format.sign() == 0 { 0 } else { element.sign() };
        sign | element.infinity()
    }
}
