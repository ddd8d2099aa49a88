//! The exact affine step from 32-bit integers to integers of up to 16 bits. The factor is split into three bytes, so
//! 32-bit arithmetic suffices.

use super::bounds::key_base;
use super::line::Line;
use crate::fragment::mirrors;
use crate::operator::Affine;
use crate::{DType, Rounding};

mirrors! {
    /// Mirrors `Affine` in `affine/thirds.wgsl`. The key is limited to `lowest..=highest`, and `x` is its distance from
    /// the end that has the smaller result. Before rounding, the result is `(x * factor + addend) / 2^(16 + shift)`.
    /// The addend is `addend_high * 2^16 + addend_low`; its last bit may be sticky: set because lower bits are lost.
    struct Thirds {
        lowest: i32,
        highest: i32,
        flip: i32,
        origin: i32,
        factor: u32,
        addend_high: i32,
        addend_low: u32,
        shift: u32,
    }
}

/// Bits of the factor's lower two bytes, and of `addend_low`.
const LOW: u32 = 16;

/// The largest distance `x` and the largest factor.
const MOST: i128 = (1 << 24) - 1;

impl Thirds {
    /// Finds the numbers for `affine` from 32-bit integers to integers of up to 16 bits; `None` if a number or a sum
    /// may exceed 32 bits.
    pub(crate) fn find(source: DType, dtype: DType, affine: Affine, rounding: Rounding) -> Option<Self> {
        if source.bits() != 32 || dtype.bits() > 16 {
            return None;
        }
        let Line { factor, addend, point } = Line::of(affine, rounding, LOW)?;
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
        let fits = |sum: i128| i32::try_from(sum >> LOW).is_ok();
        if highest - lowest > MOST || size > MOST || !fits(start) || !fits(end) {
            return None;
        }
        let [lowest, highest] = [lowest, highest].map(|number| (number - key_base(source)) as i32);
        Some(Self {
            lowest,
            highest,
            flip: if factor < 0 { -1 } else { 0 },
            origin: if factor < 0 { !highest } else { lowest },
            factor: size as u32,
            addend_high: (start >> LOW) as i32,
            addend_low: (start & 0xffff) as u32,
            shift: point - LOW,
        })
    }
}
