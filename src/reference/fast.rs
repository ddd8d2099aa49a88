//! The affine step as hardware may compute it: the results that `Precision::Fast` allows.

use super::Allowed;
use super::exact::{Dyadic, mul_add};
use super::float::{Format, affine_special};
use crate::Affine;

/// Every allowed result of the affine step, the fused one without flushing first.
pub(super) fn affine(format: Format, affine: Affine, x: u64) -> Allowed {
    if let Some(special) = affine_special(format, affine, x) {
        return Allowed::one(special);
    }
    let hardware = Hardware::of(format);
    let x = hardware.convert(format, hardware.computing, x);
    let scale = hardware.operand(affine.scale());
    let bias = hardware.operand(affine.bias());
    let flush = |bits| hardware.flushed(bits);

    let fused = hardware.mul_add(x, scale, bias);
    let product = hardware.mul(x, scale);
    let unfused = hardware.add(product, bias);
    let mut allowed = Allowed::one(fused);
    allowed.insert(unfused);
    if [x, scale, bias, fused, product, unfused].iter().any(|&bits| hardware.computing.is_subnormal(bits)) {
        // The result only.
        allowed.insert(flush(fused));
        allowed.insert(flush(unfused));
        // The product only.
        allowed.insert(hardware.add(flush(product), bias));
        // Everywhere.
        let [x, scale, bias] = [x, scale, bias].map(flush);
        allowed.insert(flush(hardware.mul_add(x, scale, bias)));
        allowed.insert(flush(hardware.add(flush(hardware.mul(x, scale)), bias)));
    }
    allowed.map(|bits| hardware.convert(hardware.computing, format, bits))
}

/// Arithmetic on bits of the format that a GPU computes in: f32, or f64 for F64.
#[derive(Clone, Copy)]
struct Hardware {
    computing: Format,
}

impl Hardware {
    fn of(element: Format) -> Self {
        Self { computing: if element == Format::F64 { Format::F64 } else { Format::F32 } }
    }

    /// Scale or bias, which are numbers of the computing format.
    fn operand(self, value: f64) -> u64 {
        self.convert(Format::F64, self.computing, value.to_bits())
    }

    fn convert(self, from: Format, to: Format, bits: u64) -> u64 {
        if from == to {
            bits
        } else if from.is_infinite(bits) {
            to.infinity() | if bits & from.sign() == 0 { 0 } else { to.sign() }
        } else {
            to.round(mul_add(from.decode(bits), ONE, MINUS_ZERO))
        }
    }

    fn mul_add(self, x: u64, scale: u64, bias: u64) -> u64 {
        let [x, scale, bias] = [x, scale, bias].map(|bits| self.computing.decode(bits));
        self.computing.round(mul_add(x, scale, bias))
    }

    fn mul(self, x: u64, scale: u64) -> u64 {
        let [x, scale] = [x, scale].map(|bits| self.computing.decode(bits));
        self.computing.round(mul_add(x, scale, MINUS_ZERO))
    }

    /// The product may have overflowed; ∞ plus a finite bias is ∞.
    fn add(self, product: u64, bias: u64) -> u64 {
        if self.computing.is_infinite(product) {
            return product;
        }
        let [product, bias] = [product, bias].map(|bits| self.computing.decode(bits));
        self.computing.round(mul_add(product, ONE, bias))
    }

    /// A subnormal becomes a zero of its sign.
    fn flushed(self, bits: u64) -> u64 {
        if self.computing.is_subnormal(bits) { bits & self.computing.sign() } else { bits }
    }
}

const ONE: Dyadic = Dyadic { negative: false, magnitude: 1, exponent: 0 };

/// The addend that changes nothing, not even the sign of a zero.
const MINUS_ZERO: Dyadic = Dyadic { negative: true, magnitude: 0, exponent: 0 };
