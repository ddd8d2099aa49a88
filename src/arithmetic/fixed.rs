//! The affine step of 8-bit integers as a product and a shift, if these give every element its exact result.

use super::integer::Linear;
use crate::fragment::mirrors;
use crate::operator::Affine;
use crate::{DType, Rounding};

mirrors! {
    /// Mirrors `Affine` in `affine/fixed.wgsl`: `(x * factor + addend) >> 16`.
    struct Fixed {
        factor: i32,
        addend: i32,
    }
}

/// Fraction bits of factor and addend.
const SHIFT: u32 = 16;

/// The largest factor. Its products with 8-bit numbers stay within ±2^30, and so do all addends. Their sums therefore
/// fit an i32.
const MOST: f64 = 4_000_000.0;

impl Fixed {
    /// Finds a factor and an addend for `affine` from 8-bit integers to integers of up to 16 bits; `None` if none suit.
    /// With them every source number gets its exact result, or a number that saturates to it.
    pub(crate) fn find(source: DType, dtype: DType, affine: Affine, rounding: Rounding) -> Option<Self> {
        let scaled = affine.scale() * f64::from(1 << SHIFT);
        if dtype.bits() > 16 || source.bits() > 8 || scaled.abs() > MOST {
            return None;
        }
        let first = source.integer_range().0 as i64;
        let (lowest, highest) = dtype.integer_range();
        let (lowest, highest) = (lowest as i64, highest as i64);
        let results = Linear::results_of_8_bits(source, dtype, affine, rounding);
        let nearest = scaled.round() as i64;
        [nearest, nearest - 1, nearest + 1].into_iter().find_map(|factor| {
            // Each source number narrows the range of addends.
            let mut addends = (i64::from(i32::MIN) / 2, i64::from(i32::MAX) / 2);
            for (number, result) in (first..).zip(results) {
                let product = number * factor;
                if result > lowest {
                    addends.0 = addends.0.max((result.min(highest) << SHIFT) - product);
                }
                if result < highest {
                    addends.1 = addends.1.min(((result.max(lowest) + 1) << SHIFT) - 1 - product);
                }
            }
            let found = addends.0 <= addends.1;
            found.then(|| Self { factor: factor as i32, addend: addends.0.max(0).min(addends.1) as i32 })
        })
    }
}
