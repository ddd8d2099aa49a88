//! Quantisation and dequantisation as ONNX defines them: a division, two roundings, and a zero point that is added
//! after them.

use super::exact::{Dyadic, Wide, mul};
use super::float::Format;
use super::{Allowed, convert, integer};
use crate::operator::Quantization;
use crate::{Clamp, DType, NanRule};

/// Adds nothing to a product and keeps the sign of its zero.
const NO_BIAS: Dyadic = Dyadic { negative: true, magnitude: 0, exponent: 0 };
const ONE: Dyadic = Dyadic { negative: false, magnitude: 1, exponent: 0 };

/// The result before the bounds, with the exact quotient or product.
pub(super) fn exact(clamp: &Clamp, quantization: Quantization, x: u64) -> u64 {
    let scale = decoded(quantization);
    if !clamp.source().is_float() {
        let product = mul(difference(clamp, quantization, x), scale);
        return Format::F32.narrow(clamp, Format::F32.round(product));
    }
    special(clamp, quantization, x).unwrap_or_else(|| {
        let quotient = divide(convert::decode(clamp.source(), x), scale);
        quantized(clamp, quantization, Format::F32.round(quotient))
    })
}

/// All allowed results before the bounds, by one product in f32. The first one is without flushing.
pub(super) fn fast(clamp: &Clamp, quantization: Quantization, x: u64) -> Allowed {
    let scale = decoded(quantization);
    if !clamp.source().is_float() {
        let products = Format::F32.results(difference(clamp, quantization, x), scale, NO_BIAS);
        return products.map(|bits| Format::F32.narrow(clamp, bits));
    }
    if let Some(special) = special(clamp, quantization, x) {
        return Allowed::one(special);
    }
    let (x, reciprocal) = (convert::decode(clamp.source(), x), Format::F32.round(divide(ONE, scale)));
    let products = match Format::F32.is_infinite(reciprocal) {
        // The product with an infinite reciprocal.
        true if x.magnitude == 0 => Allowed::one(0),
        true => Allowed::one(convert::infinite(DType::F32, x.negative != scale.negative)),
        false => Format::F32.results(x, Format::F32.decode(reciprocal), NO_BIAS),
    };
    products.map(|bits| quantized(clamp, quantization, bits))
}

fn decoded(Quantization { scale, .. }: Quantization) -> Dyadic {
    Format::F32.decode(scale.to_bits().into())
}

/// `x - zero_point`, rounded to an f32.
fn difference(clamp: &Clamp, Quantization { zero_point, .. }: Quantization, x: u64) -> Dyadic {
    let difference = integer::value(clamp.source(), x) - i128::from(zero_point);
    let magnitude = difference.unsigned_abs();
    let number = Wide { negative: difference < 0, magnitude, exponent: 0, sticky: false };
    Format::F32.decode(Format::F32.round(number))
}

/// `x / scale`, the scale not 0. The lowest bit of the magnitude is set if a remainder is left.
fn divide(x: Dyadic, scale: Dyadic) -> Wide {
    // The scale is below 2^24, so a quotient that is not 0 has at least 41 bits, more than any rounding needs.
    let (shift, divisor) = (64, u128::from(scale.magnitude));
    let dividend = u128::from(x.magnitude) << shift;
    let magnitude = (dividend / divisor) | u128::from(!dividend.is_multiple_of(divisor));
    let negative = x.negative != scale.negative;
    Wide { negative, magnitude, exponent: x.exponent - scale.exponent - shift, sticky: false }
}

/// The results of NaN and ±∞; `None` for a finite element.
fn special(clamp: &Clamp, quantization: Quantization, x: u64) -> Option<u64> {
    let format = Format::of(clamp.source())?;
    if format.is_nan(x) {
        return Some(match clamp.nan_rule() {
            NanRule::Propagate => quantized(clamp, quantization, 0),
            NanRule::ToMin => integer::limit(clamp.dtype(), true),
            NanRule::ToMax => integer::limit(clamp.dtype(), false),
        });
    }
    let negative = (x & format.sign() != 0) != decoded(quantization).negative;
    format.is_infinite(x).then(|| integer::limit(clamp.dtype(), negative))
}

/// The nearest integer to an f32 quotient, plus the zero point, saturated.
fn quantized(clamp: &Clamp, Quantization { zero_point, .. }: Quantization, quotient: u64) -> u64 {
    let negative = quotient & Format::F32.sign() != 0;
    if Format::F32.is_infinite(quotient) {
        return integer::limit(clamp.dtype(), negative);
    }
    // An f32 is below 2^128, but not below 2^127.
    let size = integer::nearest_even(Format::F32.decode(quotient).into()).min(1 << 32).cast_signed();
    let sum = if negative { -size } else { size } + i128::from(zero_point);
    integer::element(clamp.dtype(), sum < 0, sum.unsigned_abs())
}
