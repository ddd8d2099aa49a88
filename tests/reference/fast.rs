//! Compares the set of results of `Precision::Fast` with the host's arithmetic and on numbers where devices differ.

use clamp_testing::numbers::number;
use clamp_testing::random::Random;
use clamp_testing::values::{ROUNDINGS, pairs};
use wgpu_clamp::{Clamp, DType, Element, Number, reference};

use crate::host::{beside, narrowed};
use crate::inputs::{converting, element, finite, with_step};
use crate::numbers::{is_tiny, least_normal};

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
                // Rounding is monotonic: the only normal number that a tiny value can round to is the least one.
                let tiny = || is_tiny(<$float>::DTYPE, numbers.map(<$float>::to_bits64));
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

/// The set of a clamp without bounds, for a finite element, converted to the dtype.
fn host_set(clamp: &Clamp, x: u64, scale: f64, bias: f64) -> Vec<u64> {
    let (source, dtype) = (clamp.source(), clamp.dtype());
    if dtype == DType::F64 {
        return host_set_f64(f64::from_bits(x), scale, bias).into_iter().map(f64::to_bits).collect();
    }
    let set = |x| host_set_f32(x, scale as f32, bias as f32);
    let results = beside(source, x).into_iter().flat_map(set);
    results.map(|v| narrowed(dtype, clamp.rounding(), v)).collect()
}

/// Checks the set of a clamp without bounds; returns its size, or 0 if there is no step or `x` is not finite.
fn check(clamp: &Clamp, x: u64) -> usize {
    let value = |of: Number| of.value().map(|scalar| number(scalar.dtype(), scalar.bits()));
    let (Some(scale), Some(bias)) = (value(clamp.scale()), value(clamp.bias())) else { return 0 };
    if !number(clamp.source(), x).is_finite() {
        return 0;
    }
    let mut expected = host_set(clamp, x, scale, bias);
    expected.sort_unstable();
    expected.dedup();
    let allowed = reference::allowed(clamp, x).unwrap();
    // `values` has each value once.
    assert_eq!(sorted(allowed.values()), expected, "{clamp:?} of {x:#x}");
    assert!(expected.iter().all(|&value| allowed.contains(value)));
    if clamp.dtype() == DType::F64 {
        // A device without f64 computes exactly.
        assert_eq!(allowed.first(), reference::element(clamp, x).unwrap());
    }
    expected.len()
}

fn sorted(values: &[u64]) -> Vec<u64> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values
}

fn fast(source: DType, dtype: DType, scale: f32, bias: f32) -> Clamp {
    converting(source, dtype).with_affine(scale, bias).unwrap()
}

/// A bias, often of the product's size, which makes both roundings matter.
fn bias(random: &mut Random, dtype: DType, product: f64) -> f64 {
    let epsilon = if dtype == DType::F64 { f64::EPSILON } else { f32::EPSILON.into() };
    let near = -product * random.pick(&[1.0, 1.0 + epsilon, 0.5, -1e-7]);
    if random.below(2) == 0 && near.is_finite() { near } else { finite(random, dtype) }
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

/// An element, a scale and a bias: any, few that saturate, small ones of F16, or numbers that round up to the least normal
/// one, which a device may judge subnormal before it rounds.
fn inputs(random: &mut Random, source: DType, dtype: DType, least: f64) -> (u64, (f64, f64)) {
    let x = element(random, source);
    let scale = finite(random, dtype);
    match random.below(4) {
        0 => (x, (scale, bias(random, dtype, number(source, x) * scale))),
        1 => {
            let scale = random.pick(&[0.1, -0.7, 3.0, 1.0 / 255.0, 1000.0]);
            let near = random.pick(&[0.5, 127.5, 3.25, -0.5]) - number(source, x) * scale;
            (x, (scale, random.pick(&[near, 0.1, -0.0, 64.3])))
        }
        2 if source == DType::F16 => {
            let x = random.bits() & 0x8fff;
            let scale = random.pick(&[1.0, 0.75, 3.0, 0.1, -0.3]);
            let tiny = number(source, random.bits() & 0x7ff);
            (x, (scale, random.pick(&[0.0, -0.0, tiny])))
        }
        _ => (x, near(random, number(source, x), least)),
    }
}

/// A pair without a float has exact results.
#[test]
fn every_pair_as_the_host_computes() {
    for (seed, (source, dtype)) in pairs().enumerate() {
        let mut random = Random(460 + seed as u64);
        // The dtype in which a device may flush.
        let in_which = if dtype == DType::F64 { dtype } else { DType::F32 };
        let least = number(in_which, least_normal(in_which));
        let (mut sizes, mut flushes) = ([0; 15], 0);
        for _ in 0..if source == dtype { 100_000 } else { 20_000 } {
            let (x, (scale, bias)) = inputs(&mut random, source, dtype, least);
            if !scale.is_finite() || !bias.is_finite() {
                continue;
            }
            let clamp = with_step(&converting(source, dtype), (scale, bias));
            let clamp = clamp.with_rounding(random.pick(&ROUNDINGS));
            let allowed = reference::allowed(&clamp, x).unwrap();
            if source.is_float() || dtype.is_float() {
                sizes[check(&clamp, x)] += 1;
                let is_least = dtype.is_float() && allowed.contains(least_normal(dtype));
                flushes += u32::from(is_least && allowed.contains(0));
            } else {
                assert_eq!(allowed.values(), [reference::element(&clamp, x).unwrap()]);
            }
        }
        // The inputs must reach the cases that differ: fused and unfused results, and results that a device may flush.
        let differ = source.is_float() || dtype.is_float();
        assert!(!differ || sizes[2] > 20, "{source} to {dtype}: {sizes:?}");
        assert!(in_which != dtype && dtype != DType::BF16 || flushes > 50, "{source} to {dtype}: {flushes}");
    }
}

/// Numbers that random inputs meet seldom, each with the size of its set.
#[test]
fn numbers_for_which_devices_differ() {
    let (ulp, tiny, least) = (f32::EPSILON, f32::from_bits(1), f32::MIN_POSITIVE);
    let power = |n: i32| 2.0_f32.powi(n);
    for (x, scale, bias, size) in [
        // (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46 in one rounding and 0 in two.
        (1.0 + ulp, 1.0 + ulp, -(1.0 + 2.0 * ulp), 2),
        // A subnormal result stays or becomes a zero of its sign: nothing between, and no zero of the other sign, unless the
        // product is flushed to −0, plus +0.
        (least, 0.5, 0.0, 2),
        (least, -0.5, 0.0, 3),
        (least, -0.5, -0.0, 2),
        // A subnormal operand flushes everywhere or nowhere: 2^-149 * 2^127 is 2^-22, or 0.
        (tiny, power(127), 0.0, 2),
        (tiny, power(127), 1.0, 2),
        // Only the product may be flushed: 2^-127 + 2^-126 is 1.5 * 2^-126, or 2^-126.
        (least, 0.5, least, 2),
        // A product that overflows although the sum does not.
        (f32::MAX, 2.0, f32::MIN, 2),
        // 2^24 + 1 = 97 * 257 * 673 makes a product half way between two numbers. The product alone rounds down to
        // 2^-126, and the bias leaves a subnormal; fused, the tie goes up to 2^-126, which is normal. So the +0 comes
        // from flushing the result of the unfused form and nothing else (flushing everywhere loses the bias).
        (24929.0 * power(-75), 673.0 * power(-75), -tiny, 3),
    ] {
        let clamp = fast(DType::F32, DType::F32, scale, bias);
        assert_eq!(check(&clamp, x.to_bits64()), size, "{clamp:?} of {x}");
    }
}

#[test]
fn the_bounds_apply_to_each_candidate() {
    let ulp = f32::EPSILON;
    let step = Clamp::at_least(1e-20_f32).with_affine(1.0 + ulp, -(1.0 + 2.0 * ulp)).unwrap();
    let allowed = reference::allowed(&step, (1.0 + ulp).to_bits64()).unwrap();
    assert_eq!(allowed.values(), [(ulp * ulp).to_bits64(), 1e-20_f32.to_bits64()]);
    let both = Clamp::at_least(1.0_f32).with_affine(1.0 + ulp, -(1.0 + 2.0 * ulp)).unwrap();
    assert_eq!(reference::allowed(&both, (1.0 + ulp).to_bits64()).unwrap().values(), [1.0_f32.to_bits64()]);
}
