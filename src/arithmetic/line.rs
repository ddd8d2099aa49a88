//! Scale and bias as integers with some bits behind the point: where the steps in halves and in thirds begin.

use crate::Rounding;
use crate::operator::Affine;
use crate::operator::format::Binary;

/// `(x * factor + addend) / 2^point` rounded down is the exact number rounded down, or to nearest but for a tie.
pub(super) struct Line {
    pub(super) factor: i64,
    /// To nearest, with a half; a bit of it stands for all that lies below.
    pub(super) addend: i64,
    pub(super) point: u32,
}

impl Line {
    /// With `low` bits behind the point at least and 30 more at most, if there is room for all of them.
    pub(super) fn of(affine: Affine, rounding: Rounding, low: u32) -> Option<Self> {
        let (scale, scale_exponent) = odd(affine.scale());
        // So many bits behind the point that the product is an integer.
        let point = (-scale_exponent).max(low as i32);
        let (addend, point) = match in_units(affine.bias(), point)? {
            (addend, false) => (addend, point),
            // One bit more says that there is something below.
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

/// A number as an integer that is odd or 0 times a power of two, whose exponent is 0 for 0.
fn odd(number: f64) -> (i64, i32) {
    let Binary { negative, significand, exponent } = Binary::of(number);
    if significand == 0 {
        return (0, 0);
    }
    let zeros = significand.trailing_zeros();
    let size = (significand >> zeros).cast_signed();
    (if negative { -size } else { size }, exponent + zeros as i32)
}

/// A number in units of 2^-point, rounded down, and whether that lost something.
fn in_units(number: f64, point: i32) -> Option<(i64, bool)> {
    let (odd, exponent) = odd(number);
    match exponent + point {
        shift @ 0.. => Some((shifted(odd, shift)?, false)),
        shift => Some((odd >> (-shift).min(63), true)),
    }
}

/// A number times a power of two that is 1 at least, if it has no more than 48 bits.
fn shifted(number: i64, shift: i32) -> Option<i64> {
    let fits = number == 0 || 64 - number.unsigned_abs().leading_zeros() as i32 + shift <= 48;
    fits.then(|| number << if number == 0 { 0 } else { shift })
}
