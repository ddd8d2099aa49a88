//! The eight integer dtypes, and rounding to them, saturated.

use super::exact::{Dyadic, Wide};
use crate::{DType, Rounding};

/// The element as an integer.
pub(super) fn value(dtype: DType, bits: u64) -> i128 {
    let unused = 64 - dtype.bits();
    if dtype.is_signed_integer() {
        i128::from((bits << unused).cast_signed() >> unused)
    } else {
        i128::from(bits)
    }
}

/// The number that an element stands for. 0 is +0.
pub(super) fn decode(dtype: DType, bits: u64) -> Dyadic {
    let value = value(dtype, bits);
    #[expect(clippy::cast_possible_truncation, reason = "an element has at most 64 bits")]
    let magnitude = value.unsigned_abs() as u64;
    Dyadic { negative: value < 0, magnitude, exponent: 0 }
}

/// The bits of the lowest number if `negative`, else of the highest.
pub(super) fn limit(dtype: DType, negative: bool) -> u64 {
    element(dtype, negative, u128::MAX)
}

/// Rounds a number to an integer, saturated. Returns its bits.
pub(super) fn round(dtype: DType, rounding: Rounding, number: Wide) -> u64 {
    let magnitude = match rounding {
        Rounding::TowardZero => truncated(number),
        Rounding::NearestEven => nearest_even(number),
    };
    element(dtype, number.negative, magnitude)
}

/// The bits of `±magnitude`, saturated.
pub(super) fn element(dtype: DType, negative: bool, magnitude: u128) -> u64 {
    let width = dtype.bits();
    let limit = match (dtype.is_signed_integer(), negative) {
        (true, true) => 1 << (width - 1),
        (true, false) => (1 << (width - 1)) - 1,
        (false, true) => 0,
        (false, false) => (1 << width) - 1,
    };
    #[expect(clippy::cast_possible_truncation, reason = "no limit has more than 64 bits")]
    let magnitude = magnitude.min(limit) as u64;
    let bits = if negative { magnitude.wrapping_neg() } else { magnitude };
    bits & (u64::MAX >> (64 - width))
}

/// The magnitude without its fraction, or `u128::MAX` if it has more than 128 bits.
fn truncated(number: Wide) -> u128 {
    let shift = number.exponent.unsigned_abs();
    if number.exponent < 0 {
        // A sticky part lies below the last bit, so truncation drops it.
        number.magnitude.checked_shr(shift).unwrap_or(0)
    } else if shift <= number.magnitude.leading_zeros() {
        // No bit is lost. Only a zero may be shifted by all 128 bits, which `checked_shl` refuses.
        number.magnitude.checked_shl(shift).unwrap_or(0)
    } else {
        u128::MAX
    }
}

/// The integer nearest to the magnitude, ties to even; `u128::MAX` if it has more than 128 bits.
pub(super) fn nearest_even(number: Wide) -> u128 {
    let whole = truncated(number);
    if number.exponent >= 0 {
        // Only a sticky part can be a fraction here. Then the magnitude is at least 2^119, where every dtype saturates.
        return whole;
    }
    let half_place = number.exponent.unsigned_abs() - 1;
    let half = number.magnitude.checked_shr(half_place).unwrap_or(0) & 1 == 1;
    let beyond_half = number.sticky || number.magnitude.trailing_zeros() < half_place;
    let odd = whole & 1 == 1;
    whole + u128::from(half && (beyond_half || odd))
}
