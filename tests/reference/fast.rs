//! Compares the set of `Precision::Fast` with the host's arithmetic and results by hand.

use std::num::FpCategory;

use half::{bf16, f16};
use wgpu_clamp::{Clamp, DType, Element, Precision, Rounding, reference};

use crate::convert::{ROUNDINGS, pairs};
use crate::host::{beside, narrowed, widened};
use crate::numbers::{Fixed, Random, affine, fields, narrow};

/// Whether `a * b + c` lies below the least normal number of a float, before any rounding.
fn is_tiny(dtype: DType, [a, b, c]: [f64; 3]) -> bool {
    let exact = Fixed::product(Fixed::parts(a), Fixed::parts(b)) + Fixed::from_f64(c);
    exact.magnitude() < Fixed::ladder(dtype, 1 << fields(dtype).1).magnitude()
}

/// The set as the definition lists it, in the host's floats.
macro_rules! host_set {
    ($name:ident, $float:ty) => {
        fn $name(x: $float, scale: $float, bias: $float) -> Vec<$float> {
            const LEAST: $float = <$float>::MIN_POSITIVE;
            // Flushes or keeps `v`, the rounded value of `a * b + c`.
            type Judgement = fn($float, [$float; 3]) -> $float;
            let keep: Judgement = |v, _| v;
            let flush = |v: $float| if v.is_subnormal() { v * 0.0 } else { v };
            let rounded: Judgement = |v, _| if v.is_subnormal() { v * 0.0 } else { v };
            let unrounded: Judgement = |v, numbers| {
                // Rounding is monotonic: a tiny value can round to no normal number but the least one.
                let tiny = || is_tiny(<$float>::DTYPE, numbers.map(f64::from));
                if v.is_subnormal() || v.abs() == LEAST && tiny() { v * 0.0 } else { v }
            };
            let fused = |operands: fn($float) -> $float, result: Judgement| {
                let [x, scale, bias] = [x, scale, bias].map(operands);
                result(x.mul_add(scale, bias), [x, scale, bias])
            };
            let unfused = |operands: fn($float) -> $float, product: Judgement, result: Judgement| {
                let [x, scale, bias] = [x, scale, bias].map(operands);
                let product = product(x * scale, [x, scale, 0.0]);
                result(product + bias, [product, 1.0, bias])
            };
            let mut set = vec![fused(|v| v, keep), unfused(|v| v, keep, keep)];
            for judged in [rounded, unrounded] {
                set.extend([
                    fused(flush, judged),
                    fused(|v| v, judged),
                    unfused(flush, judged, judged),
                    unfused(|v| v, keep, judged),
                    unfused(|v| v, judged, keep),
                ]);
            }
            set
        }
    };
}

host_set!(host_set_f32, f32);
host_set!(host_set_f64, f64);

fn sorted(mut values: Vec<u64>) -> Vec<u64> {
    values.sort_unstable();
    values.dedup();
    values
}

fn assert_set(clamp: &Clamp, x: u64, expected: Vec<u64>) -> usize {
    let allowed = reference::allowed(clamp, x);
    assert_eq!(sorted(allowed.values().to_vec()), sorted(expected), "{clamp:?} of {x:#x}");
    assert_eq!(allowed.values().len(), sorted(allowed.values().to_vec()).len(), "a value twice");
    assert!(allowed.values().iter().all(|&value| allowed.contains(value)));
    allowed.values().len()
}

/// A subnormal of F16 becomes a zero of its sign.
fn flushed_f16(bits: u64) -> u64 {
    if f16::from_bits(u16::try_from(bits).unwrap()).classify() == FpCategory::Subnormal {
        bits & 0x8000
    } else {
        bits
    }
}

/// Checks the set of a clamp without bounds; returns its size, or 0 if there is no step or `x` is not finite.
fn check_against_f32(clamp: &Clamp, x: u64) -> usize {
    let (source, dtype) = (clamp.source(), clamp.dtype());
    let Some((scale, bias)) = affine(clamp) else { return 0 };
    if !widened(source, x).is_finite() {
        return 0;
    }
    let [scale, bias] = [scale, bias].map(narrow);
    let is_f16 = source == DType::F16 && dtype == DType::F16;
    let xs = if is_f16 { vec![x, flushed_f16(x)] } else { vec![x] };
    let mut results: Vec<f32> =
        xs.into_iter().flat_map(|x| beside(source, x)).flat_map(|x| host_set_f32(x, scale, bias)).collect();
    if is_f16 {
        // A tiny result stays or becomes a zero, whether it is judged before or after rounding.
        let tiny = |v: &f32| v.abs() < f16::MIN_POSITIVE.to_f32();
        let flushed: Vec<f32> = results.iter().filter(|v| tiny(v)).map(|v| v * 0.0).collect();
        results.extend(flushed);
    }
    assert_set(clamp, x, results.into_iter().map(|v| narrowed(dtype, clamp.rounding(), v)).collect())
}

fn fast(source: DType, dtype: DType, scale: f32, bias: f32) -> Clamp {
    let clamp = Clamp::unbounded(dtype).with_source(source).unwrap();
    clamp.with_affine(scale, bias).unwrap()
}

/// A bias, often of the product's size, which makes both roundings matter.
fn bias(random: &mut Random, product: f32) -> f32 {
    let near = -product * random.pick(&[1.0, 1.0 + f32::EPSILON, 0.5, -1e-7]);
    if random.below(2) == 0 && near.is_finite() { near } else { random.finite_f32() }
}

#[test]
fn f32_f16_and_bf16_as_the_host_computes() {
    for (seed, dtype) in [DType::F32, DType::F16, DType::BF16].into_iter().enumerate() {
        let mut random = Random(400 + seed as u64);
        let mut sizes = [0; 15];
        for _ in 0..200_000 {
            let (x, scale) = (random.float(dtype), random.finite_f32());
            let bias = bias(&mut random, widened(dtype, x) * scale);
            sizes[check_against_f32(&fast(dtype, dtype, scale, bias), x)] += 1;
        }
        // The inputs must reach the cases that differ.
        assert!(sizes[1] > 0 && sizes[2] > 100 && sizes[3] > 10, "{dtype}: {sizes:?}");
    }
}

/// F16 elements and results that hardware may flush are rare among random ones.
#[test]
fn small_numbers_of_f16() {
    let mut random = Random(450);
    let mut sizes = [0; 15];
    for _ in 0..200_000 {
        let x = random.below(0x1000) | random.below(2) << 15;
        let scale = random.pick(&[1.0, 0.75, 3.0, 0.1, 1000.0, -1.0, -0.3]);
        let bias = match random.below(4) {
            0 => 0.0,
            1 => -0.0,
            2 => bias(&mut random, widened(DType::F16, x) * scale),
            _ => f16::from_bits(u16::try_from(random.below(0x800)).unwrap()).to_f32(),
        };
        sizes[check_against_f32(&fast(DType::F16, DType::F16, scale, bias), x)] += 1;
    }
    // There are five at most: fused, unfused, the bias alone and two zeros.
    assert!(sizes[3] > 100 && sizes[4] > 10 && sizes[6..] == [0; 9], "{sizes:?}");
}

/// All pairs of the nine dtypes; a pair without a float has exact results.
#[test]
fn every_pair_as_the_host_computes() {
    for (seed, (source, dtype)) in pairs().enumerate() {
        let mut random = Random(460 + seed as u64);
        let mut sizes = [0; 15];
        for n in 0..20_000 {
            let x = random.element(source);
            // Half of the scales keep integers in range: saturated results are all equal.
            let scale =
                if n % 2 == 0 { random.finite_f32() } else { random.pick(&[0.1, -0.7, 3.0, 1.0 / 255.0]) };
            let product = widened(source, x) * scale;
            let bias = match random.below(4) {
                0 => random.pick(&[0.5, 127.5, 3.25, -0.5]) - product,
                1 => random.pick(&[0.1, -0.0, 64.3]),
                _ => bias(&mut random, product),
            };
            let bias = if bias.is_finite() { bias } else { 1.0 };
            let clamp = fast(source, dtype, scale, bias).with_rounding(random.pick(&ROUNDINGS));
            if source.is_float() || dtype.is_float() {
                sizes[check_against_f32(&clamp, x)] += 1;
            } else {
                assert_eq!(reference::allowed(&clamp, x).values(), [reference::element(&clamp, x)]);
                sizes[2] = usize::MAX;
            }
        }
        assert!(sizes[2] > 20, "{source} to {dtype}: {sizes:?}");
    }
}

#[test]
fn f64_as_the_host_computes() {
    let mut random = Random(500);
    let mut sizes = [0; 15];
    for _ in 0..200_000 {
        let (x, scale) = (f64::from_bits(random.float(DType::F64)), random.finite_f64());
        let near = -x * scale * random.pick(&[1.0, 1.0 + f64::EPSILON, 0.5]);
        let bias = if random.below(2) == 0 && near.is_finite() { near } else { random.finite_f64() };
        let clamp = Clamp::unbounded(DType::F64).with_scale_bias(scale, bias).unwrap();
        if x.is_finite() && affine(&clamp).is_some() {
            let expected = host_set_f64(x, scale, bias).into_iter().map(f64::to_bits).collect();
            sizes[assert_set(&clamp, x.to_bits(), expected)] += 1;
            // A device without f64 computes exactly.
            assert_eq!(
                reference::allowed(&clamp, x.to_bits()).first(),
                reference::element(&clamp, x.to_bits())
            );
        }
    }
    assert!(sizes[2] > 100 && sizes[3] > 10, "{sizes:?}");
}

/// A scale and a bias for which `x * scale`, or the sum, is about `least`.
fn near(random: &mut Random, x: f64, least: f64) -> (f64, f64) {
    let sign = random.pick(&[1.0, -1.0]);
    if random.below(2) == 0 {
        let bias = random.pick(&[0.0, -0.0, least, -least, least * f64::from(f32::EPSILON)]);
        (sign * least / x, bias)
    } else {
        let product = random.pick(&[0.75, 1.5, 2.5, 4.1, 30.0]) * least;
        (sign * product / x, sign * (least - product))
    }
}

/// Numbers that round up to the least normal one: a device may judge them subnormal before it rounds.
#[test]
fn just_below_the_least_normal_number() {
    for (seed, (source, dtype)) in pairs().filter(|(a, b)| a.is_float() || b.is_float()).enumerate() {
        let mut random = Random(510 + seed as u64);
        let is_f16 = source == DType::F16 && dtype == DType::F16;
        let least = if is_f16 { f16::MIN_POSITIVE.to_f32() } else { f32::MIN_POSITIVE };
        let of_least = narrowed(dtype, Rounding::default(), least);
        let mut reached = 0;
        for _ in 0..10_000 {
            let x = random.element(source);
            let (scale, bias) = near(&mut random, widened(source, x).into(), least.into());
            if !scale.is_finite() {
                continue;
            }
            let clamp = fast(source, dtype, narrow(scale), narrow(bias));
            check_against_f32(&clamp, x);
            let allowed = reference::allowed(&clamp, x);
            reached += u32::from(allowed.contains(0) && allowed.contains(of_least));
        }
        let distinct = is_f16 || [DType::F32, DType::BF16].contains(&dtype);
        assert!(reached > 100 || !distinct, "{source} to {dtype}: {reached}");
    }
}

#[test]
fn just_below_the_least_normal_f64() {
    let mut random = Random(520);
    let mut reached = 0;
    for _ in 0..20_000 {
        let x = f64::from_bits(random.float(DType::F64));
        let (scale, bias) = near(&mut random, x, f64::MIN_POSITIVE);
        if !x.is_finite() || !scale.is_finite() {
            continue;
        }
        let clamp = Clamp::unbounded(DType::F64).with_scale_bias(scale, bias).unwrap();
        if affine(&clamp).is_some() {
            let expected = host_set_f64(x, scale, bias).into_iter().map(f64::to_bits).collect();
            assert_set(&clamp, x.to_bits(), expected);
            let allowed = reference::allowed(&clamp, x.to_bits());
            reached += u32::from(allowed.contains(0) && allowed.contains(f64::MIN_POSITIVE.to_bits()));
        }
    }
    assert!(reached > 100, "{reached}");
}

#[test]
fn every_f16_and_bf16() {
    for (scale, bias) in [(0.1, -0.3), (3.0e-5, 1.0e-8), (65504.0, -1.0), (1.0e-38, 1.0e-45)] {
        for x in 0..=0xffff {
            for dtype in [DType::F16, DType::BF16] {
                check_against_f32(&fast(dtype, dtype, scale, bias), x);
            }
        }
    }
}

fn set<T: Element>(scale: f32, bias: f32, x: T) -> Vec<u64> {
    let clamp = Clamp::unbounded(T::DTYPE).with_affine(scale, bias).unwrap();
    sorted(reference::allowed(&clamp, x.to_bits64()).values().to_vec())
}

#[test]
fn by_hand() {
    let tiny = f32::from_bits(1);
    let smallest_normal = f32::MIN_POSITIVE;
    let minus = 0x8000_0000_u64;
    // (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46 in one rounding and 0 in two.
    let ulp = f32::EPSILON;
    assert_eq!(set(1.0 + ulp, -(1.0 + 2.0 * ulp), 1.0 + ulp), [0, (ulp * ulp).to_bits64()]);
    // A subnormal result stays or becomes a zero of its sign: nothing between, and no zero of the other sign.
    assert_eq!(set(0.5, 0.0, smallest_normal), [0, 0x0040_0000]);
    assert_eq!(
        set(-0.5, 0.0, smallest_normal),
        [0, minus, minus | 0x0040_0000],
        "product flushed to -0, plus +0"
    );
    assert_eq!(set(-0.5, -0.0, smallest_normal), [minus, minus | 0x0040_0000]);
    // A subnormal operand flushes everywhere or nowhere: 2^-149 * 2^127 is 2^-22, or 0.
    assert_eq!(set(2.0_f32.powi(127), 0.0, tiny), [0, 2.0_f32.powi(-22).to_bits64()]);
    assert_eq!(
        set(2.0_f32.powi(127), 1.0, tiny),
        [1.0_f32.to_bits64(), (1.0 + 2.0_f32.powi(-22)).to_bits64()]
    );
    // Only the product may be flushed: 2^-127 + 2^-126 is 1.5 * 2^-126, or 2^-126.
    assert_eq!(set(0.5, smallest_normal, smallest_normal), [0x0080_0000, 0x00c0_0000]);
    // Half of 0x00ffffff is a tie between the greatest subnormal and the least normal number, and rounds to the
    // normal one. Judged before rounding, it is flushed to a zero of its sign; a product flushed to -0 gives +0 with
    // a bias of +0.
    assert_eq!(set(0.5, 0.0, f32::from_bits(0x00ff_ffff)), [0, 0x0080_0000]);
    assert_eq!(set(-0.5, 0.0, f32::from_bits(0x00ff_ffff)), [0, minus, minus | 0x0080_0000]);
    assert_eq!(set(-0.5, -0.0, f32::from_bits(0x00ff_ffff)), [minus, minus | 0x0080_0000]);
    // An exact result that is the least normal number is never flushed.
    assert_eq!(set(0.5, 0.0, 2.0 * smallest_normal), [0x0080_0000]);
    // 0x00ff_ffff / 2 + 2^-126: both are kept, or the product is flushed.
    assert_eq!(set(0.5, smallest_normal, f32::from_bits(0x00ff_ffff)), [0x0080_0000, 0x0100_0000]);
    // The same in f64, in BF16, and from F16 to F16.
    let double = Clamp::unbounded(DType::F64).with_scale_bias(0.5, 0.0).unwrap();
    let allowed = reference::allowed(&double, 0x001f_ffff_ffff_ffff);
    assert_eq!(sorted(allowed.values().to_vec()), [0, f64::MIN_POSITIVE.to_bits()]);
    assert_eq!(set(1.0 - 2.0_f32.powi(-24), 0.0, bf16::MIN_POSITIVE), [0, 0x0080]);
    assert_eq!(set(1.0 - 2.0_f32.powi(-12), 0.0, f16::MIN_POSITIVE), [0, 0x0400]);
    assert_eq!(set(1.0 - 2.0_f32.powi(-12), -0.0, -f16::MIN_POSITIVE), [0x8000, 0x8400]);
    // A product that overflows although the sum does not.
    assert_eq!(set(2.0, f32::MIN, f32::MAX), [f32::MAX.to_bits64(), f32::INFINITY.to_bits64()]);
    // 2^24 + 1 = 97 * 257 * 673 makes a product half way between two numbers. The product alone rounds down to
    // 2^-126, and the bias leaves a subnormal; fused, the tie goes up to 2^-126, which is normal. So the +0 comes
    // from flushing the result of the unfused form and nothing else (flushing everywhere loses the bias).
    let product = (24929.0 * 2.0_f32.powi(-75), 673.0 * 2.0_f32.powi(-75));
    assert_eq!(set(product.1, -tiny, product.0), [0, 0x007f_ffff, 0x0080_0000]);
    // The same one binade higher: there only the unfused result is subnormal at all.
    assert_eq!(set(2.0 * product.1, -(smallest_normal + tiny), product.0), [0, 0x007f_ffff, 0x0080_0000]);
    // f16 subnormals are ordinary f32 numbers, but from F16 to F16 they may be flushed.
    assert_eq!(set(2.0, 0.0, f16::from_bits(1)), [0, 2]);
    // Only the element may be flushed: 1023 * 2^-24 * 16 + 1 is just below 1 + 2^-10, or 1.
    assert_eq!(set(16.0, 1.0, f16::from_bits(0x3ff)), [0x3c00, 0x3c01]);
    // Only the result may be flushed, to a zero of its sign.
    assert_eq!(set(-0.5, -0.0, f16::from_bits(0x0400)), [0x8000, 0x8200]);
    // A flushed element leaves the bias, a flushed result nothing.
    assert_eq!(set(2.0, 2.0_f32.powi(-20), f16::from_bits(3)), [0, 16, 22]);
    // Through f32, 1 + 2^-11 + 2^-40 is a tie; Exact sees that it is not.
    let clamp = Clamp::unbounded(DType::F16).with_affine(1.0 + 2.0_f32.powi(-11), 2.0_f32.powi(-40)).unwrap();
    assert_eq!(reference::allowed(&clamp, 0x3c00).values(), [0x3c00]);
    assert_eq!(reference::element(&clamp, 0x3c00), 0x3c01);
    // bf16 subnormals are f32 subnormals.
    assert_eq!(set(2.0, 0.0, bf16::from_bits(1)), [0, 2]);
}

#[test]
fn the_bounds_apply_to_each_candidate() {
    let ulp = f32::EPSILON;
    let step = Clamp::at_least(1e-20_f32).with_affine(1.0 + ulp, -(1.0 + 2.0 * ulp)).unwrap();
    let allowed = reference::allowed(&step, (1.0 + ulp).to_bits64());
    assert_eq!(allowed.values(), [(ulp * ulp).to_bits64(), 1e-20_f32.to_bits64()]);
    let both = Clamp::at_least(1.0_f32).with_affine(1.0 + ulp, -(1.0 + 2.0 * ulp)).unwrap();
    assert_eq!(reference::allowed(&both, (1.0 + ulp).to_bits64()).values(), [1.0_f32.to_bits64()]);
}

/// Conversions to and from other dtypes keep subnormals of F16, and so do copies and `Exact`.
#[test]
fn only_from_f16_to_f16_may_f16_be_flushed() {
    let subnormal = f16::from_bits(3).to_bits64();
    let from = fast(DType::F16, DType::F32, 0.5, 0.0);
    assert_eq!(reference::allowed(&from, subnormal).values(), [(1.5 * 2.0_f32.powi(-24)).to_bits64()]);
    let to = fast(DType::F32, DType::F16, 0.5, 0.0);
    assert_eq!(reference::allowed(&to, 2.0_f32.powi(-20).to_bits64()).values(), [8]);
    assert_eq!(reference::allowed(&Clamp::unbounded(DType::F16), subnormal).values(), [3]);
    let exact = fast(DType::F16, DType::F16, 2.0, 0.0).with_precision(Precision::Exact);
    assert_eq!(reference::allowed(&exact, subnormal).values(), [6]);
}

/// An overflow of f32 saturates as ±∞ does.
#[test]
fn an_overflow_to_an_integer_saturates() {
    let set = |scale, bias| {
        let clamp = fast(DType::F32, DType::I8, scale, bias);
        sorted(reference::allowed(&clamp, f32::MAX.to_bits64()).values().to_vec())
    };
    assert_eq!(set(2.0, f32::MIN), [0x7f]);
    assert_eq!(set(-2.0, f32::MAX), [0x80]);
    // f32::MAX cancels: nothing overflows.
    assert_eq!(set(1.0, f32::MIN), [0]);
    assert_eq!(set(2.0, -0.0), [0x7f]);
}
