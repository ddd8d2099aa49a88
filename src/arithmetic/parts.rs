//! Exact affine steps from integers to integers of up to 16 bits by products of 32 bits: the factor is split into parts.

use super::bounds::key_base;
use super::line::Line;
use super::step::AffineStep;
use crate::operator::Affine;
use crate::{DType, Rounding};

/// The numbers of `affine/parts.wgsl`. Before rounding, the result is `(x * 2^up * factor + addend) / 2^(low + shift)`, where
/// `low` is that of the [`Split`]; if it is rounded to nearest, the addend has a half more. For [`AffineStep::Halves`] `x` is the
/// key, and the factor a signed number. For the others the key is limited to `lowest..=highest`, and `x` is its distance from the
/// end that has the smaller result. The addend is `addend_high * 2^low + addend_low`; its last bit may be sticky: set because
/// lower bits are lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) factor: u32,
    pub(super) addend_high: i32,
    pub(super) addend_low: u32,
    pub(super) shift: u32,
    pub(super) up: u32,
    pub(super) negative: bool,
    pub(super) lowest: i32,
    pub(super) highest: i32,
}

/// How a factor is split. The product of the largest `x` with a lower part, plus a part of the addend, plus what the part
/// below carries, fits 32 bits. The uppermost part takes the remaining bits: its products may wrap, since their sum fits.
/// `Whole` has one product, of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Split {
    /// The bits of all lower parts.
    pub(super) low: u32,
    /// The largest distance `x * 2^up`; for `Halves` of no use, since all keys are near.
    most: u32,
    /// The bits of its source dtypes.
    from: [u32; 2],
}

impl Split {
    pub(super) const fn of(step: AffineStep) -> Self {
        match step {
            AffineStep::Halves => Self { low: 12, most: 0xffff, from: [8, 16] },
            AffineStep::Thirds => Self { low: 16, most: 0xff_ffff, from: [32, 32] },
            _ => Self { low: 32, most: u32::MAX, from: [32, 32] },
        }
    }
}

impl Parts {
    /// In the order of the shader.
    pub(super) fn words(self) -> [u32; 6] {
        let [lowest, highest, addend_high] =
            [self.lowest, self.highest, self.addend_high].map(i32::cast_unsigned);
        let shifts = self.shift | self.up << 8 | u32::from(self.negative) << 31;
        [self.factor, addend_high, self.addend_low, shifts, lowest, highest]
    }

    /// Finds the numbers for `affine` to integers of up to 16 bits; `None` if a number or a sum may exceed 32 bits.
    pub(super) fn find(
        source: DType,
        dtype: DType,
        affine: Affine,
        rounding: Rounding,
        split: Split,
    ) -> Option<Self> {
        if !split.from.contains(&source.bits()) || dtype.bits() > 16 {
            return None;
        }
        let Line { factor, addend, point } = Line::of(affine, rounding, split.low)?;
        let (factor, addend) = (i128::from(factor), i128::from(addend));
        let size = factor.unsigned_abs() as u64;
        let (first, last) = source.integer_range();
        let fits = |sum: i128| i32::try_from(sum >> split.low).is_ok();
        let shift = point - split.low;
        let halves = |sum: i128| ((sum >> split.low) as i32, (sum & ((1 << split.low) - 1)) as u32);
        if source.bits() <= 16 {
            let ends_fit = fits(addend + factor * first) && fits(addend + factor * last);
            let factor = i32::try_from(factor).ok().filter(|_| ends_fit)?.cast_unsigned();
            let [lowest, highest] = [first, last].map(|key| key as i32);
            let (addend_high, addend_low) = halves(addend);
            return Some(Self {
                factor,
                addend_high,
                addend_low,
                shift,
                up: 0,
                negative: false,
                lowest,
                highest,
            });
        }
        // A factor of more than 32 bits ends in as many zeros, since a scale has 24 bits. Only the shader of `Whole` moves them to the
        // distance.
        let up = (u64::BITS - size.leading_zeros()).saturating_sub(u32::BITS);
        // Numbers beyond `lowest..=highest` saturate like these two.
        let (low, high) = dtype.integer_range();
        let (low, high) = (low << point, (high + 1) << point);
        let steps = |sum: i128| (sum - addend).div_euclid(size.into());
        let (lowest, highest) = match factor {
            0 => (0, 0),
            1.. => (steps(low) - 1, steps(high) + 1),
            // A negative scale: the sum falls as the number grows.
            _ => (-steps(high) - 1, -steps(low) + 1),
        };
        let (lowest, highest) = (lowest.clamp(first, last), highest.clamp(first, last));
        let start = addend + factor * if factor < 0 { highest } else { lowest };
        let end = start + (highest - lowest) * i128::from(size);
        let is_near = (highest - lowest) << up <= split.most.into();
        let is_moved = up == 0 || split.low == 32;
        if !is_near || !is_moved || !fits(start) || !fits(end) {
            return None;
        }
        let [lowest, highest] = [lowest, highest].map(|number| (number - key_base(source)) as i32);
        let (addend_high, addend_low) = halves(start);
        Some(Self {
            lowest,
            highest,
            factor: (size >> up) as u32,
            addend_high,
            addend_low,
            shift,
            up,
            negative: factor < 0,
        })
    }
}
