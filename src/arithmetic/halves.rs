//! Scale and bias of integers of up to 16 bits, exact in 32-bit arithmetic by splitting the factor.

use bytemuck::{Pod, Zeroable};

use super::line::Line;
use crate::operator::Affine;
use crate::{DType, Rounding};

/// Mirrors `Affine` in `affine/halves.wgsl`. Factor and addend are split as `high * 2^12 + low`. Before rounding, the
/// result is `(x * factor + addend) / 2^(12 + shift)`. The addend's last bit may be sticky.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Halves {
    pub(crate) factor_high: i32,
    pub(crate) factor_low: i32,
    pub(crate) addend_high: i32,
    pub(crate) addend_low: i32,
    pub(crate) shift: u32,
    /// Fraction bits of the lower half, as a mask. Truncation adds both masks to negative numbers; rounding to nearest
    /// finds ties by them.
    pub(crate) below_low: i32,
    pub(crate) below_high: i32,
}

/// Bits of a lower half.
const LOW: u32 = 12;

/// No carry from the lower halves is larger: 16 bits times 12 bits, shifted right by 12.
const CARRY: i64 = 1 << 17;

impl Halves {
    /// The identity.
    pub(crate) fn unchanged(rounding: Rounding) -> Self {
        let half = if rounding == Rounding::NearestEven { 1 << (LOW - 1) } else { 0 };
        Self::of(1 << LOW, half, LOW)
    }

    /// Finds numbers for `affine` between integers of up to 16 bits, if nothing exceeds an i32.
    pub(crate) fn find(source: DType, dtype: DType, affine: Affine, rounding: Rounding) -> Option<Self> {
        if source.is_float() || dtype.is_float() || source.bits() > 16 || dtype.bits() > 16 {
            return None;
        }
        let Line { factor, addend, point } = Line::of(affine, rounding, LOW)?;
        let (first, last) = source.integer_range();
        let fits = [first, last].into_iter().all(|x| {
            let high = i128::from(factor >> LOW) * x + i128::from(addend >> LOW);
            high.abs() < i128::from((1_i64 << 31) - CARRY)
        });
        fits.then(|| Self::of(factor, addend, point))
    }

    fn of(factor: i64, addend: i64, point: u32) -> Self {
        let low = |number: i64| (number & ((1 << LOW) - 1)) as i32;
        let shift = point - LOW;
        Self {
            factor_high: (factor >> LOW) as i32,
            factor_low: low(factor),
            addend_high: (addend >> LOW) as i32,
            addend_low: low(addend),
            shift,
            below_low: (1 << LOW) - 1,
            below_high: (1 << shift) - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Clamp, Layout, reference};

    /// The result of `affine/halves.wgsl`, before saturation.
    fn result(halves: &Halves, x: i32, rounding: Rounding) -> i32 {
        let Halves { factor_high, factor_low, addend_high, addend_low, shift, below_low, below_high } =
            *halves;
        let low = x * factor_low + addend_low;
        let high = x * factor_high + addend_high;
        let sum = high + (low >> LOW);
        match rounding {
            Rounding::TowardZero => {
                let negative = sum >> 31;
                (high + ((low + (negative & below_low)) >> LOW) + (negative & below_high)) >> shift
            }
            Rounding::NearestEven => {
                let down = sum >> shift;
                if (low & below_low) | (sum & below_high) == 0 { down & !1 } else { down }
            }
        }
    }

    /// Whether numbers exist. If so, checks their results for every source number.
    fn is_found(source: DType, dtype: DType, (scale, bias): (f32, f32), rounding: Rounding) -> bool {
        let clamp = Clamp::unbounded(dtype).with_source(source).unwrap().with_rounding(rounding);
        let clamp = clamp.with_affine(scale, bias).unwrap();
        let Some(affine) = clamp.affine() else { return true };
        let Some(halves) = Halves::find(source, dtype, affine, rounding) else { return false };
        let numbers = |dtype: DType| {
            let (first, last) = dtype.integer_range();
            first as i32..=last as i32
        };
        let src: Vec<u8> = numbers(source).flat_map(|x| x.to_le_bytes()[..source.size()].to_vec()).collect();
        let layout = Layout::packed(&[numbers(source).count()]).unwrap();
        let mut dst = vec![0; layout.len() * dtype.size()];
        reference::apply(&clamp, &layout, &src, &layout, &mut dst).unwrap();
        for (x, y) in numbers(source).zip(dst.chunks_exact(dtype.size())) {
            let expected = match dtype {
                DType::U8 => y[0].into(),
                DType::I8 => y[0].cast_signed().into(),
                DType::U16 => u16::from_le_bytes([y[0], y[1]]).into(),
                _ => i32::from(i16::from_le_bytes([y[0], y[1]])),
            };
            let got = result(&halves, x, rounding).clamp(*numbers(dtype).start(), *numbers(dtype).end());
            assert_eq!(got, expected, "{source} {dtype} {x} * {scale} + {bias}, {rounding:?}: {halves:?}");
        }
        true
    }

    const DTYPES: [DType; 4] = [DType::U8, DType::I8, DType::U16, DType::I16];
    const ROUNDINGS: [Rounding; 2] = [Rounding::TowardZero, Rounding::NearestEven];

    #[test]
    fn ordinary_steps_are_found() {
        for (source, dtype) in DTYPES.into_iter().flat_map(|source| DTYPES.map(|dtype| (source, dtype))) {
            for rounding in ROUNDINGS {
                for scale in [0.0_f32, -1.0, 1.7, -1.0 / 257.0, 4096.0] {
                    for bias in [0.0_f32, -0.5, 127.5, -100.1, -1e-20] {
                        assert!(
                            is_found(source, dtype, (scale, bias), rounding),
                            "{source} {dtype} {scale} {bias}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn what_leaves_32_bits_is_not_found() {
        for (scale, bias) in [(1e30_f32, 0.0_f32), (70_000.0, 0.0), (1e-20, 1.0), (1.0, 1e30), (0.1, 1e9)] {
            assert!(!is_found(DType::I16, DType::I16, (scale, bias), Rounding::TowardZero), "{scale} {bias}");
        }
        let affine = Clamp::unbounded(DType::I32).with_affine(2.0, 0.0).unwrap().affine().unwrap();
        assert_eq!(Halves::find(DType::I32, DType::I32, affine, Rounding::TowardZero), None);
    }

    #[test]
    fn what_leaves_numbers_unchanged_does() {
        for rounding in ROUNDINGS {
            let halves = Halves::unchanged(rounding);
            assert!((-65_536..=65_535).all(|x| result(&halves, x, rounding) == x), "{halves:?}");
        }
    }

    proptest! {
        // Each case takes all numbers of a dtype.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_is_found_is_exact(
            bits: u32,
            ordinary in -40.0_f32..40.0,
            small: bool,
            bias in prop_oneof![-70_000.0_f32..70_000.0, -4.0_f32..4.0, any::<u32>().prop_map(f32::from_bits)],
            nearest: bool,
            pair in 0_usize..16,
        ) {
            let scale = if small { ordinary } else { f32::from_bits(bits) };
            prop_assume!(scale.is_finite() && bias.is_finite());
            is_found(DTYPES[pair / 4], DTYPES[pair % 4], (scale, bias), ROUNDINGS[usize::from(nearest)]);
        }
    }
}
