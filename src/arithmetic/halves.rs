//! Scale and bias of integers of up to 16 bits, exact in 32-bit arithmetic by splitting the factor.

use super::line::Line;
use crate::fragment::mirrors;
use crate::operator::Affine;
use crate::{DType, Rounding};

mirrors! {
    /// Mirrors `Affine` in `affine/halves.wgsl`. Factor and addend are split as `high * 2^12 + low`. Before rounding,
    /// the result is `(x * factor + addend) / 2^(12 + shift)`. The addend's last bit may be sticky.
    struct Halves {
        factor_high: i32,
        factor_low: i32,
        addend_high: i32,
        addend_low: i32,
        shift: u32,
        /// Fraction bits of the lower half, as a mask. Truncation adds both masks to negative numbers; rounding to
        /// nearest finds ties by them.
        below_low: i32,
        below_high: i32,
    }
}

/// Bits of a lower half.
const LOW: u32 = 12;

/// No carry from the lower halves is larger: 16 bits times 12 bits, shifted right by 12.
const CARRY: i64 = 1 << 17;

impl Halves {
    /// Finds numbers for `affine` between integers of up to 16 bits, if nothing exceeds an i32.
    pub(crate) fn find(source: DType, dtype: DType, affine: Affine, rounding: Rounding) -> Option<Self> {
        if source.bits() > 16 || dtype.bits() > 16 {
            return None;
        }
        let Line { factor, addend, point } = Line::of(affine, rounding, LOW)?;
        let (first, last) = source.integer_range();
        let fits = [first, last].into_iter().all(|x| {
            let high = i128::from(factor >> LOW) * x + i128::from(addend >> LOW);
            high.abs() < i128::from((1_i64 << 31) - CARRY)
        });
        let low = |number: i64| (number & ((1 << LOW) - 1)) as i32;
        let shift = point - LOW;
        fits.then(|| Self {
            factor_high: (factor >> LOW) as i32,
            factor_low: low(factor),
            addend_high: (addend >> LOW) as i32,
            addend_low: low(addend),
            shift,
            below_low: (1 << LOW) - 1,
            below_high: (1 << shift) - 1,
        })
    }
}
