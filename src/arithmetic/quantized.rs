//! The numbers of [`Clamp::quantize_linear`](crate::Clamp::quantize_linear) and
//! [`Clamp::dequantize_linear`](crate::Clamp::dequantize_linear).

use crate::fragment::mirrors;
use crate::operator::format::{Binary, FloatFormat};

mirrors! {
    /// Mirrors `Affine` in `affine/quotient_fast.wgsl`.
    struct QuotientFast {
        reciprocal: f32,
        sign: u32,
        beyond_from: u32,
    }

    /// Mirrors `Affine` in `affine/quotient_exact.wgsl`.
    struct QuotientExact {
        least: i32,
        most: i32,
        exponent: i32,
        reciprocal: f32,
        scale: i32,
        sign: u32,
        beyond_from: u32,
    }

    /// Mirrors `Affine` in `affine/product_fast.wgsl`.
    struct ProductFast {
        scale: f32,
        zero_point: i32,
    }

    /// Mirrors `Affine` in `affine/product_exact.wgsl`.
    struct ProductExact {
        scale: u32,
        scale_exponent: i32,
        scale_sign: u32,
        zero_point: i32,
    }
}

/// A quotient that saturates in every integer dtype of up to 16 bits, with every zero point: 2^18. The shaders' `BEYOND`.
pub(super) const BEYOND: i32 = 1 << BEYOND_EXPONENT;
const BEYOND_EXPONENT: i32 = 18;

const SIGN: u32 = FloatFormat::F32.sign as u32;
const INFINITY: u32 = FloatFormat::F32.infinity as u32;

impl QuotientFast {
    pub(crate) fn new(scale: f32) -> Self {
        let reciprocal = 1.0 / scale.abs();
        // If the reciprocal is infinite, so is its product with every number but 0.
        let (reciprocal, beyond_from) =
            if reciprocal.is_finite() { (reciprocal, INFINITY) } else { (1.0, 1) };
        Self { reciprocal, sign: scale.to_bits() & SIGN, beyond_from }
    }
}

impl QuotientExact {
    pub(crate) fn new(scale: f32) -> Self {
        let (significand, exponent) = Binary::of(scale.into()).single();
        // An exponent in the place where an f32 has it, perhaps beyond those of f32s.
        let in_place = |exponent: i32| i64::from(exponent) << FloatFormat::F32.mantissa_bits;
        let of_power = |power: i32| in_place(exponent + power + FloatFormat::F32.exponent_bias);
        Self {
            least: of_power(-1) as i32,
            most: of_power(BEYOND_EXPONENT).min(i32::MAX.into()) as i32,
            exponent: in_place(exponent) as i32,
            reciprocal: (f64::from(1 << 23) / f64::from(significand)) as f32,
            scale: significand as i32,
            sign: scale.to_bits() & SIGN,
            beyond_from: INFINITY,
        }
    }
}

impl ProductExact {
    pub(crate) fn new(scale: f32, zero_point: i32) -> Self {
        let (significand, exponent) = Binary::of(scale.into()).single();
        // Of a scale of 0, below the exponent of every product.
        let scale_exponent = if significand == 0 { -1000 } else { exponent - 1 };
        let scale_sign = scale.to_bits() & SIGN;
        Self { scale: significand, scale_exponent, scale_sign, zero_point }
    }
}
