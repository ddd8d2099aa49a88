//! Scale and bias of 8-bit integers as a product and a shift, if that is exact for every element.

use bytemuck::{Pod, Zeroable};

use super::integer::Linear;
use crate::operator::Affine;
use crate::{DType, Rounding};

/// Mirrors `Affine` in `affine/fixed.wgsl`: `(x * factor + addend) >> 16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Fixed {
    pub(crate) factor: i32,
    pub(crate) addend: i32,
}

/// Fraction bits of factor and addend.
const SHIFT: u32 = 16;

/// The largest factor. Its products with 8-bit numbers and the addends stay within ±2^30, so their sums fit an i32.
const MOST: f64 = 4_000_000.0;

impl Fixed {
    /// The identity.
    pub(crate) const UNCHANGED: Self = Self { factor: 1 << SHIFT, addend: 0 };

    /// Finds numbers for `affine` from 8-bit integers to integers of up to 16 bits, if they exist. Every source number
    /// then gets its exact result, or a number that saturates to it.
    pub(crate) fn find(source: DType, dtype: DType, affine: Affine, rounding: Rounding) -> Option<Self> {
        let scaled = affine.scale() * f64::from(1 << SHIFT);
        if dtype.is_float() || dtype.bits() > 16 || source.bits() > 8 || scaled.abs() > MOST {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clamp, Layout, reference};

    /// Whether the shader's formula gives the reference's result for every number.
    fn right(clamp: &Clamp, fixed: Fixed) -> bool {
        let dtype = clamp.dtype();
        let (lowest, highest) = dtype.integer_range();
        let src: Vec<u8> = (0..=255).collect();
        let mut dst = vec![0; 256];
        let layout = Layout::packed(&[256]).unwrap();
        reference::apply(clamp, &layout, &src, &layout, &mut dst).unwrap();
        src.iter().zip(&dst).all(|(&x, &y)| {
            let signed = |bits: u8| if lowest < 0 { i32::from(bits.cast_signed()) } else { i32::from(bits) };
            let product = signed(x).checked_mul(fixed.factor).unwrap();
            let shifted = product.checked_add(fixed.addend).unwrap() >> SHIFT;
            shifted.clamp(lowest as i32, highest as i32) == signed(y)
        })
    }

    #[test]
    fn what_is_found_is_exact_and_ordinary_pairs_are_found() {
        for dtype in [DType::I8, DType::U8] {
            for scale in [0.0_f32, 1.0, -1.0, 0.5, 2.0, 0.1, -0.3, 1.7, 1.0 / 255.0, 12.5, 60.0] {
                for bias in [0.0_f32, 1.0, -0.5, 3.75, -100.0, 0.1, 127.5, 300.0] {
                    let clamp = Clamp::unbounded(dtype).with_affine(scale, bias).unwrap();
                    // A scale of 1 with a bias of 0 is no step.
                    let Some(affine) = clamp.affine() else { continue };
                    let fixed = Fixed::find(dtype, dtype, affine, Rounding::TowardZero);
                    assert!(
                        // I8 may have no numbers: a negative result truncates upwards, and the shift rounds down.
                        fixed.map_or(dtype == DType::I8, |fixed| right(&clamp, fixed)),
                        "{dtype} {scale} {bias} {fixed:?}"
                    );
                }
            }
            for (scale, bias) in [(1e9_f32, 0.0_f32), (65.0, 1.0), (1e30, -1e30), (1.0, f32::MAX)] {
                let clamp = Clamp::unbounded(dtype).with_affine(scale, bias).unwrap();
                let found = Fixed::find(dtype, dtype, clamp.affine().unwrap(), Rounding::TowardZero);
                assert!(found.is_none_or(|fixed| right(&clamp, fixed)), "{dtype} {scale} {bias}");
            }
        }
        let affine = Clamp::unbounded(DType::I16).with_affine(2.0, 0.0).unwrap().affine().unwrap();
        assert_eq!(Fixed::find(DType::I16, DType::I16, affine, Rounding::TowardZero), None);
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_found_is_exact(scale: f32, mantissa in -64.0_f32..64.0, bias in -400.0_f32..400.0, small: bool) {
            let scale = if small { mantissa } else { scale };
            proptest::prop_assume!(scale.is_finite());
            for dtype in [DType::I8, DType::U8] {
                let clamp = Clamp::unbounded(dtype).with_affine(scale, bias).unwrap();
                let Some(affine) = clamp.affine() else { continue };
                let found = Fixed::find(dtype, dtype, affine, Rounding::TowardZero);
                proptest::prop_assert!(found.is_none_or(|fixed| right(&clamp, fixed)));
            }
        }
    }
}
