//! The exact affine step of integers of up to 16 bits. Factor and addend are split, so 32-bit arithmetic suffices.

use super::line::Line;
use crate::fragment::mirrors;
use crate::operator::Affine;
use crate::{DType, Rounding};

mirrors! {
    /// Mirrors `Affine` in `affine/halves.wgsl`. Factor and addend are split as `high * 2^12 + low`. Before rounding,
    /// the result is `(x * factor + addend) / 2^(12 + shift)`. The addend's last bit may be sticky: set because lower
    /// bits are lost.
    struct Halves {
        factor_high: i32,
        factor_low: i32,
        addend_high: i32,
        addend_low: i32,
        shift: u32,
        /// Masks of the fraction bits in the lower and in the upper half. Truncation adds them to negative numbers;
        /// rounding to nearest finds ties with them.
        below_low: i32,
        below_high: i32,
    }
}

/// Bits of a lower half.
const LOW: u32 = 12;

/// An upper limit of the carry from the lower halves, which is 16 bits times 12 bits, shifted right by 12.
const CARRY: i64 = 1 << 17;

impl Halves {
    /// Finds the numbers for `affine` between integers of up to 16 bits; `None` if a number or a sum may exceed an i32.
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
