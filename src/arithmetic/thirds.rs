//! Scale and bias from 32-bit integers to integers of up to 16 bits, exact in 32-bit arithmetic by splitting the
//! factor.

use bytemuck::{Pod, Zeroable};

use super::bounds::key_base;
use super::line::Line;
use super::step::UNCHANGED;
use crate::operator::Affine;
use crate::{DType, Rounding};

/// Mirrors `Affine` in `affine/thirds.wgsl`. `x` is the distance of a key, limited to `lowest..=highest`, from the end
/// with the smaller result. Before rounding, the result is `(x * factor + addend) / 2^(16 + shift)`. The addend is
/// `addend_high * 2^16 + addend_low`; its last bit may be sticky.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Thirds {
    pub(crate) lowest: i32,
    pub(crate) highest: i32,
    pub(crate) flip: i32,
    pub(crate) origin: i32,
    pub(crate) factor: u32,
    pub(crate) addend_high: i32,
    pub(crate) addend_low: u32,
    pub(crate) shift: u32,
}

/// Bits of the factor's lower two bytes, and of `addend_low`.
const LOW: u32 = 16;

/// The largest distance `x` and the largest factor.
const MOST: i128 = (1 << 24) - 1;

impl Thirds {
    /// The identity, saturated.
    pub(crate) fn unchanged(source: DType, dtype: DType, rounding: Rounding) -> Self {
        Self::find(source, dtype, UNCHANGED, rounding).expect("16 bits are few enough")
    }

    /// Finds numbers for `affine` from 32-bit integers to integers of up to 16 bits, if nothing exceeds 32 bits.
    pub(crate) fn find(source: DType, dtype: DType, affine: Affine, rounding: Rounding) -> Option<Self> {
        if source.is_float() || dtype.is_float() || source.bits() != 32 || dtype.bits() > 16 {
            return None;
        }
        let Line { factor, addend, point } = Line::of(affine, rounding, LOW)?;
        let (factor, addend) = (i128::from(factor), i128::from(addend));
        let size = factor.abs();

        // Numbers beyond `lowest..=highest` saturate as these two do.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Clamp, reference};

    /// The result of `affine/thirds.wgsl`, before saturation.
    fn result(thirds: &Thirds, key: i32, rounding: Rounding) -> i32 {
        let Thirds { lowest, highest, flip, origin, factor, addend_high, addend_low, shift } = *thirds;
        let x = ((key.clamp(lowest, highest) ^ flip).wrapping_sub(origin)).cast_unsigned();
        assert!(x < 1 << 24, "{thirds:?}");
        let low = x * (factor & 0xff) + (addend_low & 0xff);
        let middle = x * (factor >> 8 & 0xff) + (addend_low >> 8) + (low >> 8);
        let high =
            x.wrapping_mul(factor >> 16).wrapping_add(middle >> 8).wrapping_add(addend_high.cast_unsigned());
        let floor = high.cast_signed() >> shift;
        let below = ((low | middle) & 0xff) | (high & ((1 << shift) - 1));
        match rounding {
            Rounding::TowardZero => floor + below.min(high >> 31).cast_signed(),
            Rounding::NearestEven if below == 0 => floor & !1,
            Rounding::NearestEven => floor,
        }
    }

    /// Whether numbers exist. If so, checks their results near the ends of the source's range, near `lowest` and
    /// `highest`, near 0, and for some numbers between.
    fn is_found(source: DType, dtype: DType, (scale, bias): (f32, f32), rounding: Rounding) -> bool {
        let clamp = Clamp::unbounded(dtype).with_source(source).unwrap().with_rounding(rounding);
        let clamp = clamp.with_affine(scale, bias).unwrap();
        let affine = clamp.affine().unwrap_or(UNCHANGED);
        let Some(thirds) = Thirds::find(source, dtype, affine, rounding) else { return false };
        let base = key_base(source) as i64;
        let (first, last) = source.integer_range();
        let keys = (first as i64 - base, last as i64 - base);
        let about = [keys.0, keys.1, thirds.lowest.into(), thirds.highest.into(), -base];
        let about = about.into_iter().flat_map(|key| key - 40..=key + 40);
        let span = i64::from(thirds.highest) - i64::from(thirds.lowest);
        let within = (0..4000).map(|n| i64::from(thirds.lowest) + span * n / 4000 + n % 3);
        let (low, high) = dtype.integer_range();
        for key in about.chain(within).filter(|key| (keys.0..=keys.1).contains(key)) {
            let expected = reference::element(&clamp, ((key + base) as u64) & 0xffff_ffff);
            let got = result(&thirds, key as i32, rounding).clamp(low as i32, high as i32);
            assert_eq!(
                i128::from(got),
                dtype.integer(expected),
                "{source} {dtype} {} * {scale} + {bias}, {rounding:?}: {thirds:?}",
                key + base
            );
        }
        true
    }

    const SOURCES: [DType; 2] = [DType::I32, DType::U32];
    const DTYPES: [DType; 4] = [DType::U8, DType::I8, DType::U16, DType::I16];
    const ROUNDINGS: [Rounding; 2] = [Rounding::TowardZero, Rounding::NearestEven];

    #[test]
    fn ordinary_steps_are_found() {
        let to_8_bits = [0.0_f32, 1.0, -1.0, 1.7, 0.25, -1.0 / 33.0, 1e-3, 3.1e-4, -9.7e-5, 100.0];
        let to_16_bits = [0.0_f32, 1.0, -1.0, 0.25];
        for (source, rounding) in
            SOURCES.into_iter().zip(ROUNDINGS).chain(SOURCES.into_iter().rev().zip(ROUNDINGS))
        {
            for dtype in DTYPES {
                let scales = if dtype.bits() == 8 { &to_8_bits[..] } else { &to_16_bits };
                let biases =
                    if dtype.bits() == 8 { [0.0, -0.5, 12.5, -100.1] } else { [0.0, -0.5, 3.0, 12.5] };
                for (scale, bias) in scales.iter().flat_map(|&scale| biases.map(|bias| (scale, bias))) {
                    assert!(
                        is_found(source, dtype, (scale, bias), rounding),
                        "{source} {dtype} {scale} {bias}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_leaves_32_bits_is_not_found() {
        for (scale, bias) in [(1e30_f32, 0.0_f32), (70_000.0, 0.0), (1e-20, 1.0), (1e-6, 0.0), (1.0, 1e30)] {
            assert!(!is_found(DType::I32, DType::I8, (scale, bias), Rounding::TowardZero), "{scale} {bias}");
        }
        assert!(!is_found(DType::I16, DType::I8, (0.5, 0.0), Rounding::TowardZero));
        assert!(!is_found(DType::I32, DType::I32, (0.5, 0.0), Rounding::TowardZero));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn whatever_is_found_is_exact(
            bits: u32,
            ordinary in prop_oneof![-2.0_f32..2.0, -0.01_f32..0.01, -1e-4_f32..1e-4],
            small in prop::bool::weighted(0.8),
            bias in prop_oneof![-70_000.0_f32..70_000.0, -4.0_f32..4.0, any::<u32>().prop_map(f32::from_bits)],
            nearest: bool,
            pair in 0_usize..8,
        ) {
            let scale = if small { ordinary } else { f32::from_bits(bits) };
            prop_assume!(scale.is_finite() && bias.is_finite());
            is_found(SOURCES[pair / 4], DTYPES[pair % 4], (scale, bias), ROUNDINGS[usize::from(nearest)]);
        }
    }
}
