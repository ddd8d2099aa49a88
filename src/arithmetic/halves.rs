//! The exact affine step of integers of up to 16 bits. Factor and addend are split, so 32-bit arithmetic suffices.

use super::line::Line;
use crate::operator::Affine;
use crate::{DType, Rounding};

/// The numbers of `affine/halves.wgsl`. Factor and addend are split as `high * 2^12 + low`. Before rounding, the result is
/// `(x * factor + addend) / 2^(12 + shift)`. The addend's last bit may be sticky: set because lower bits are lost.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    pub(super) factor_high: i32,
    pub(super) factor_low: i32,
    pub(super) addend_high: i32,
    pub(super) addend_low: i32,
    pub(super) shift: u32,
}

/// Bits of a lower half.
const LOW: u32 = 12;

/// An upper limit of the carry from the lower halves, which is 16 bits times 12 bits, shifted right by 12.
const CARRY: i64 = 1 << 17;

impl Halves {
    /// In the order of the shader.
    pub(super) const fn words(self) -> [u32; 5] {
        let Self { factor_high, factor_low, addend_high, addend_low, shift } = self;
        let [a, b, c, d] = [factor_high, factor_low, addend_high, addend_low];
        [a.cast_unsigned(), b.cast_unsigned(), c.cast_unsigned(), d.cast_unsigned(), shift]
    }

    /// Finds the numbers for `affine` between integers of up to 16 bits; `None` if a number or a sum may exceed an i32.
    pub(super) fn find(source: DType, dtype: DType, affine: Affine, rounding: Rounding) -> Option<Self> {
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
        fits.then(|| Self {
            factor_high: (factor >> LOW) as i32,
            factor_low: low(factor),
            addend_high: (addend >> LOW) as i32,
            addend_low: low(addend),
            shift: point - LOW,
        })
    }
}
