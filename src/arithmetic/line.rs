//! Scale and bias in fixed point, for `Parts`.

use crate::Rounding;
use crate::operator::Affine;
use crate::operator::format::Binary;

/// An affine step in fixed point. When truncating, the floor of `(x * factor + addend) / 2^point` is the floor of the
/// exact result. When rounding to nearest, `addend` includes 1/2, so the floor is the integer nearest to the exact
/// result, except for ties.
pub(super) struct Line {
    pub(super) factor: i64,
    /// Includes 1/2 if rounding to nearest. The last bit may be sticky: set because lower bits are lost.
    pub(super) addend: i64,
    pub(super) point: u32,
}

impl Line {
    /// Converts a step to fixed point with `low` to `low + 30` fraction bits; `None` if factor or addend does not fit.
    pub(super) fn of(affine: Affine, rounding: Rounding, low: u32) -> Option<Self> {
        let (scale, scale_exponent) = odd(affine.scale());
        // Enough fraction bits for an integer factor.
        let point = (-scale_exponent).max(low as i32);
        let (addend, point) = match in_units(affine.bias(), point)? {
            (addend, false) => (addend, point),
            // The additional last bit is sticky: it stands for the lost bits.
            (addend, true) => (2 * addend + 1, point + 1),
        };
        if point as u32 - low > 30 {
            return None;
        }
        let factor = shifted(scale, scale_exponent + point)?;
        let half = if rounding == Rounding::NearestEven { 1 << (point - 1) } else { 0 };
        Some(Self { factor, addend: addend + half, point: point as u32 })
    }
}

/// A number as `odd * 2^exponent`; 0 is `0 * 2^0`.
fn odd(number: f64) -> (i64, i32) {
    let Binary { negative, significand, exponent } = Binary::of(number);
    if significand == 0 {
        return (0, 0);
    }
    let zeros = significand.trailing_zeros();
    let size = (significand >> zeros).cast_signed();
    (if negative { -size } else { size }, exponent + zeros as i32)
}

/// A number in units of 2^-point, rounded down, and whether rounding was inexact; `None` beyond 62 bits.
fn in_units(number: f64, point: i32) -> Option<(i64, bool)> {
    let (odd, exponent) = odd(number);
    match exponent + point {
        shift @ 0.. => Some((shifted(odd, shift)?, false)),
        shift => Some((odd >> (-shift).min(63), true)),
    }
}

/// A number shifted left, if the result has at most 62 bits.
fn shifted(number: i64, shift: i32) -> Option<i64> {
    let fits = number == 0 || 64 - number.unsigned_abs().leading_zeros() as i32 + shift <= 62;
    fits.then(|| number << if number == 0 { 0 } else { shift })
}
