//! The affine step on integers: exact, truncated toward zero, saturated.

use super::exact::{Dyadic, Wide, add, mul};
use super::float::Format;
use crate::{Affine, DType};

/// The element as a number.
pub(super) fn value(dtype: DType, bits: u64) -> i128 {
    let unused = 64 - dtype.bits();
    if dtype.is_signed_integer() {
        i128::from((bits << unused).cast_signed() >> unused)
    } else {
        i128::from(bits)
    }
}

/// `x * scale + bias` as an element of `dtype`.
pub(super) fn affine(dtype: DType, affine: Affine, x: u64) -> u64 {
    let x = value(dtype, x);
    #[expect(clippy::cast_possible_truncation, reason = "an element has at most 64 bits")]
    let magnitude = x.unsigned_abs() as u64;
    let x = Dyadic { negative: x < 0, magnitude, exponent: 0 };
    let scale = Format::F64.decode(affine.scale().to_bits());
    let bias = Format::F64.decode(affine.bias().to_bits());
    saturated(dtype, add(mul(x, scale), bias))
}

/// Truncates toward zero and saturates.
fn saturated(dtype: DType, number: Wide) -> u64 {
    let width = dtype.bits();
    let limit = match (dtype.is_signed_integer(), number.negative) {
        (true, true) => 1 << (width - 1),
        (true, false) => (1 << (width - 1)) - 1,
        (false, true) => 0,
        (false, false) => (1 << width) - 1,
    };
    #[expect(clippy::cast_possible_truncation, reason = "no limit has more than 64 bits")]
    let magnitude = truncated(number).min(limit) as u64;
    let bits = if number.negative { magnitude.wrapping_neg() } else { magnitude };
    bits & (u64::MAX >> (64 - width))
}

/// The magnitude without its fraction, or `u128::MAX` if it has more than 128 bits.
fn truncated(number: Wide) -> u128 {
    let shift = number.exponent.unsigned_abs();
    if number.exponent < 0 {
        // A sticky part lies below the last bit, so truncation drops it.
        number.magnitude.checked_shr(shift).unwrap_or(0)
    } else if shift <= number.magnitude.leading_zeros() {
        // No bit is lost; by 128 only a zero is shifted.
        number.magnitude.checked_shl(shift).unwrap_or(0)
    } else {
        u128::MAX
    }
}
