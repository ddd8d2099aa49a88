//! The exact affine step from 32-bit integers to integers of up to 16 bits. The factor is split into parts of a few bits,
//! so 32-bit arithmetic suffices.

use super::bounds::key_base;
use super::line::Line;
use super::step::AffineStep;
use crate::operator::Affine;
use crate::{DType, Rounding};

/// The numbers of `affine/parts.wgsl`. The key is limited to `lowest..=highest`, and `x` is its distance from
/// the end that has the smaller result. Before rounding, the result is `(x * factor + addend) / 2^(low + shift)`,
/// where `low` is the bits of all parts but the uppermost. The addend is `addend_high * 2^low + addend_low`; its last
/// bit may be sticky: set because lower bits are lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) lowest: i32,
    pub(super) highest: i32,
    pub(super) negative: bool,
    pub(super) factor: u32,
    pub(super) addend_high: i32,
    pub(super) addend_low: u32,
    pub(super) shift: u32,
}

/// How a factor is split. The product of the largest `x` with a lower part, plus a part of the addend, plus what the part
/// below carries, fits 32 bits. The uppermost part takes the remaining bits: its products may wrap, since their sum fits.
#[derive(Clone, Copy)]
pub(super) struct Split {
    /// The bits of each lower part.
    pub(super) bits: u32,
    /// The number of lower parts.
    pub(super) lower: u32,
}

impl Split {
    /// Three products for distances of 24 bits; for [`AffineStep::Quarters`], four products for distances of 26 bits.
    pub(super) const fn of(step: AffineStep) -> Self {
        match step {
            AffineStep::Quarters => Self { bits: 6, lower: 3 },
            _ => Self { bits: 8, lower: 2 },
        }
    }

    /// The bits of all lower parts.
    const fn low(self) -> u32 {
        self.bits * self.lower
    }

    /// The largest distance `x`.
    const fn most(self) -> i128 {
        (1 << (u32::BITS - self.bits)) - 1
    }
}

impl Parts {
    /// In the order of the shader.
    pub(super) fn words(self) -> [u32; 6] {
        let [lowest, highest, addend_high] =
            [self.lowest, self.highest, self.addend_high].map(i32::cast_unsigned);
        let shift = self.shift | u32::from(self.negative) << 31;
        [lowest, highest, self.factor, addend_high, self.addend_low, shift]
    }

    /// Finds the numbers for `affine` from 32-bit integers to integers of up to 16 bits; `None` if a number or a sum
    /// may exceed 32 bits.
    pub(super) fn find(
        source: DType,
        dtype: DType,
        affine: Affine,
        rounding: Rounding,
        split: Split,
    ) -> Option<Self> {
        if source.bits() != 32 || dtype.bits() > 16 {
            return None;
        }
        let low_bits = split.low();
        let Line { factor, addend, point } = Line::of(affine, rounding, low_bits)?;
        let (factor, addend) = (i128::from(factor), i128::from(addend));
        let size = factor.abs();

        // Numbers beyond `lowest..=highest` saturate like these two.
        let (low, high) = dtype.integer_range();
        let (low, high) = (low << point, (high + 1) << point);
        let steps = |sum: i128| (sum - addend).div_euclid(size);
        let (lowest, highest) = match factor {
            0 => (0, 0),
            1.. => (steps(low) - 1, steps(high) + 1),
            // A negative scale: the sum falls as the number grows.
            _ => (-steps(high) - 1, -steps(low) + 1),
        };
        let (first, last) = source.integer_range();
        let (lowest, highest) = (lowest.clamp(first, last), highest.clamp(first, last));
        let start = addend + factor * if factor < 0 { highest } else { lowest };
        let end = start + (highest - lowest) * size;
        let fits = |sum: i128| i32::try_from(sum >> low_bits).is_ok();
        if highest - lowest > split.most() || !fits(start) || !fits(end) {
            return None;
        }
        let [lowest, highest] = [lowest, highest].map(|number| (number - key_base(source)) as i32);
        Some(Self {
            lowest,
            highest,
            negative: factor < 0,
            factor: u32::try_from(size).ok()?,
            addend_high: (start >> low_bits) as i32,
            addend_low: (start & ((1 << low_bits) - 1)) as u32,
            shift: point - low_bits,
        })
    }
}
