//! Tests the exact steps of integers: they give the reference's results, and have numbers for ordinary scales and
//! biases. The formulas here repeat those of `shaders/affine/`.

mod quantized;
mod wide;

use proptest::prelude::*;

use super::bounds::key_base;
use super::fixed::Fixed;
use super::integer::Linear;
use super::numbers::UNCHANGED;
use super::parts::{Parts, Split};
use super::step::AffineStep;
use crate::operator::Affine;
use crate::{Clamp, DType, Rounding, reference};
use clamp_testing::random::Random;

const SMALL: [DType; 4] = [DType::U8, DType::I8, DType::U16, DType::I16];
const WORDS: [DType; 2] = [DType::I32, DType::U32];
const ROUNDINGS: [Rounding; 2] = [Rounding::TowardZero, Rounding::NearestEven];

/// A step's formula with the numbers found for it: from a key to a result before saturation.
struct Found {
    result: Box<dyn Fn(i32) -> i64>,
    /// The formula limits keys to this range; `[0; 2]` if it limits none.
    ends: [i32; 2],
}

fn find(step: AffineStep, [source, dtype]: [DType; 2], affine: Affine, rounding: Rounding) -> Option<Found> {
    Some(match step {
        AffineStep::Fixed => {
            let Fixed { factor, addend } = Fixed::find(source, dtype, affine, rounding)?;
            let result = move |x: i32| x.checked_mul(factor).unwrap().checked_add(addend).unwrap() >> 16;
            Found { result: Box::new(move |x| result(x).into()), ends: [0; 2] }
        }
        AffineStep::Halves | AffineStep::Thirds | AffineStep::Whole => {
            let split = Split::of(step);
            let parts = Parts::find(source, dtype, affine, rounding, split)?;
            let ends = [parts.lowest, parts.highest];
            Found { result: Box::new(move |key| of_parts(parts, step, key, rounding).into()), ends }
        }
        _ => {
            let linear = Linear::of_8_bits(source, affine, rounding);
            Found { result: Box::new(move |x| linear.result(x.into())), ends: [0; 2] }
        }
    })
}

/// Panics if a sum that has to fit 32 bits does not.
fn of_parts(parts: Parts, step: AffineStep, key: i32, rounding: Rounding) -> i32 {
    let Parts { lowest, highest, factor, addend_high, addend_low, shift, up, negative } = parts;
    let (flip, origin) = if negative { (-1, !highest) } else { (0, lowest) };
    let x = ((key.clamp(lowest, highest) ^ flip).wrapping_sub(origin)).cast_unsigned();
    let (high, below) = if step == AffineStep::Halves {
        let low = key.checked_mul((factor & 0xfff).cast_signed()).unwrap() + addend_low.cast_signed();
        let high = key.wrapping_mul(factor.cast_signed() >> 12).wrapping_add(low >> 12);
        (high.cast_unsigned(), (low & 0xfff).cast_unsigned())
    } else if step == AffineStep::Whole {
        let x = x.checked_mul(1 << up).unwrap();
        let sum = u64::from(x) * u64::from(factor) + u64::from(addend_low);
        ((sum >> 32) as u32, sum as u32)
    } else {
        let (bits, lower, mask) = (8, 2, 0xff);
        let (mut carry, mut below) = (0, 0);
        for n in 0..lower {
            let part = |number: u32| number >> (n * bits) & mask;
            let sum =
                x.checked_mul(part(factor)).and_then(|product| product.checked_add(part(addend_low) + carry));
            let sum = sum.unwrap_or_else(|| panic!("{parts:?}: {x}"));
            (carry, below) = (sum >> bits, below | sum & mask);
        }
        (x.wrapping_mul(factor >> (bits * lower)).wrapping_add(carry), below)
    };
    let high = high.wrapping_add(addend_high.cast_unsigned());
    let floor = high.cast_signed() >> shift;
    let below = below | high & ((1 << shift) - 1);
    match rounding {
        Rounding::TowardZero => floor + below.min(high >> 31).cast_signed(),
        Rounding::NearestEven if below == 0 => floor & !1,
        Rounding::NearestEven => floor,
    }
}

/// Whether the step has numbers for this scale and bias. If so, checks its results: for every source number of up to 16
/// bits; for wider sources near the ends of the range, near 0, near [`Found::ends`], and for some numbers between.
fn is_found(
    step: AffineStep,
    [source, dtype]: [DType; 2],
    (scale, bias): (f32, f32),
    rounding: Rounding,
) -> bool {
    let clamp = Clamp::unbounded(dtype).with_source(source).unwrap().with_rounding(rounding);
    let clamp = clamp.with_affine(scale, bias).unwrap();
    // With a scale of 1 and a bias of 0, the clamp has no affine step.
    let affine = clamp.affine().unwrap_or(UNCHANGED);
    let Some(Found { result, ends }) = find(step, [source, dtype], affine, rounding) else { return false };
    let base = key_base(source) as i64;
    let (first, last) = source.integer_range();
    let all = first as i64 - base..=last as i64 - base;
    let keys: Vec<_> = if source.bits() <= 16 {
        all.collect()
    } else {
        let [low, high] = ends.map(i64::from);
        let about = [*all.start(), *all.end(), low, high, -base].into_iter();
        let between = (0..4000).map(|n| low + (high - low) * n / 4000 + n % 3);
        let keys = about.flat_map(|key| key - 40..=key + 40).chain(between);
        keys.filter(|key| all.contains(key)).collect()
    };
    let (lowest, highest) = dtype.integer_range();
    for key in keys {
        let x = key + base;
        let expected = dtype.integer(reference::element(&clamp, x as u64).unwrap());
        let got = i128::from(result(key as i32)).clamp(lowest, highest);
        assert_eq!(got, expected, "{step}, {source} to {dtype}: {x} * {scale:e} + {bias:e}, {rounding:?}");
    }
    true
}

fn of_both_signs(numbers: impl Iterator<Item = f32>) -> Vec<f32> {
    numbers.flat_map(|number| [number, -number]).collect()
}

fn product<A: Copy, B: Copy>(a: &[A], b: &[B]) -> Vec<(A, B)> {
    a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))).collect()
}

/// `Fixed` may have no numbers for I8: a negative result truncates upwards, but the shift rounds down.
#[test]
fn ordinary_steps_are_found_and_exact() {
    let assert_found = |step, dtypes: [DType; 2], scales: &[f32], biases: &[f32], rounding| {
        for affine in product(scales, biases) {
            let found = is_found(step, dtypes, affine, rounding);
            let may_miss = step == AffineStep::Fixed && dtypes[1] == DType::I8;
            assert!(found || may_miss, "{step}, {dtypes:?}, {affine:?}");
        }
    };
    let scales = [0.0, 1.0, -1.0, 0.5, 2.0, 0.1, -0.3, 1.7, 1.0 / 255.0, 12.5, 60.0];
    let biases = [0.0, 1.0, -0.5, 3.75, -100.0, 0.1, 127.5, 300.0];
    for dtype in [DType::I8, DType::U8] {
        assert_found(AffineStep::Fixed, [dtype; 2], &scales, &biases, Rounding::TowardZero);
    }
    for ((source, dtype), rounding) in product(&product(&SMALL, &SMALL), &ROUNDINGS) {
        let (scales, biases) =
            ([0.0, 1.0, -1.0, 1.7, -1.0 / 257.0, 4096.0], [0.0, -0.5, 127.5, -100.1, -1e-20]);
        assert_found(AffineStep::Halves, [source, dtype], &scales, &biases, rounding);
    }
    for ((source, dtype), rounding) in product(&product(&WORDS, &SMALL), &ROUNDINGS) {
        let (scales, biases) = match dtype.bits() {
            8 => (
                &[0.0, 1.0, -1.0, 1.7, 0.25, -1.0 / 33.0, 1e-3, 3.1e-4, -9.7e-5, 100.0][..],
                [0.0, -0.5, 12.5, -100.1],
            ),
            _ => (&[0.0, 1.0, -1.0, 0.25][..], [0.0, -0.5, 3.0, 12.5]),
        };
        assert_found(AffineStep::Thirds, [source, dtype], scales, &biases, rounding);
        assert_found(AffineStep::Whole, [source, dtype], scales, &biases, rounding);
    }
}

/// Channels with scales of requantised sums: `Whole` serves them all, so that no call falls back to [`AffineStep::Exact`].
#[test]
fn scales_of_requantisation_are_found() {
    let mut random = Random(47);
    for n in 0..400 {
        let exponent = f64::from(random.below(1_000_001) as u32) / 1e6;
        let scale = 10_f64.powf(-6.0 * exponent) as f32;
        let bias = match n % 3 {
            0 => 0.0,
            1 => f32::from(random.below(257) as u16) - 128.0,
            _ => (16.0 * random.number()) as f32,
        };
        let [source, dtype] = [WORDS[n % 2], SMALL[n / 2 % 2]];
        let scale = if n % 5 == 0 { -scale } else { scale };
        let rounding = ROUNDINGS[n / 4 % 2];
        assert!(is_found(AffineStep::Whole, [source, dtype], (scale, bias), rounding), "{scale:e} {bias}");
    }
}

/// Scales and biases down to 0, and ties.
#[test]
fn results_of_8_bits_are_right_also_where_terms_vanish() {
    let small = [0.0, f32::from_bits(1), 2_f32.powi(-72), 1e-20, 2_f32.powi(-40), 2_f32.powi(-10), 1e-3];
    let numbers = [0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 3.0, 100.5, 2_f32.powi(24), 3e7, 1e30];
    let all = of_both_signs(small.into_iter().chain(numbers));
    let dtypes = [[DType::I8, DType::I8], [DType::U8, DType::I16], [DType::I8, DType::U8]];
    for ((affine, dtypes), rounding) in product(&product(&product(&all, &all), &dtypes), &ROUNDINGS) {
        assert!(is_found(AffineStep::Exact, dtypes, affine, rounding));
    }
}

/// Every power of two as a scale, beside biases of every size.
#[test]
fn results_of_8_bits_are_right_for_scales_of_every_size() {
    // In f32, `powi` gives 0 for the least powers.
    let power = |n| 2_f64.powi(n) as f32;
    let scales = of_both_signs((-149..=127).map(power));
    let biases = [-149, -72, -40].into_iter().chain(-16..=12).chain([24, 60, 127]);
    let biases = of_both_signs(biases.map(power));
    for (affine, rounding) in product(&product(&scales, &biases), &ROUNDINGS) {
        assert!(is_found(AffineStep::Exact, [DType::I8; 2], affine, rounding));
    }
}

#[test]
fn what_leaves_32_bits_is_not_found() {
    let steep = [(1e9, 0.0), (65.0, 1.0), (1e30, -1e30), (1.0, f32::MAX)];
    for (affine, dtype) in product(&steep, &[DType::I8, DType::U8]) {
        // The numbers may exist, but must then be exact.
        is_found(AffineStep::Fixed, [dtype; 2], affine, Rounding::TowardZero);
    }
    let halves = [(1e30, 0.0), (70_000.0, 0.0), (1e-20, 1.0), (1.0, 1e30), (0.1, 1e9)].as_slice();
    let parts = [(1e30, 0.0), (1e6, 0.0), (1e-20, 1.0), (1e-6, 0.0), (1.0, 1e30)].as_slice();
    for (step, dtypes, affines) in [
        (AffineStep::Fixed, [DType::I16; 2], [(2.0, 0.0)].as_slice()),
        (AffineStep::Halves, [DType::I16; 2], halves),
        (AffineStep::Halves, [DType::I32; 2], &[(2.0, 0.0)]),
        (AffineStep::Thirds, [DType::I32, DType::I8], parts),
        (AffineStep::Whole, [DType::I32, DType::I8], &[(1e30, 0.0), (1e-20, 1.0), (1.0, 1e30)]),
        (AffineStep::Thirds, [DType::I32, DType::I8], &[(1e-5, 0.0)]),
        (AffineStep::Thirds, [DType::I16, DType::I8], &[(0.5, 0.0)]),
        (AffineStep::Thirds, [DType::I32; 2], &[(0.5, 0.0)]),
    ] {
        for &affine in affines {
            assert!(!is_found(step, dtypes, affine, Rounding::TowardZero), "{step}, {dtypes:?}, {affine:?}");
        }
    }
}

proptest! {
    // A case of `Halves` computes every number of its source.
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn whatever_is_found_is_exact(
        step in prop_oneof![
            3 => Just(AffineStep::Fixed),
            1 => Just(AffineStep::Halves),
            4 => Just(AffineStep::Thirds),
            4 => Just(AffineStep::Whole),
        ],
        scale in prop_oneof![any::<f32>(), -64.0_f32..64.0, -2.0_f32..2.0, -0.01_f32..0.01, -1e-4_f32..1e-4],
        bias in prop_oneof![any::<f32>(), -70_000.0_f32..70_000.0, -400.0_f32..400.0, -4.0_f32..4.0],
        nearest: bool,
        [source, dtype] in [0_usize..4, 0_usize..4],
    ) {
        prop_assume!(scale.is_finite() && bias.is_finite());
        let source = match step {
            AffineStep::Fixed => SMALL[source % 2],
            AffineStep::Thirds | AffineStep::Whole => WORDS[source % 2],
            _ => SMALL[source],
        };
        is_found(step, [source, SMALL[dtype]], (scale, bias), ROUNDINGS[usize::from(nearest)]);
    }
}
