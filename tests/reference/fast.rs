//! The allowed set of `Precision::Fast` against the host's own arithmetic, and by hand.

use half::{bf16, f16};
use wgpu_clamp::{Clamp, DType, Element, reference};

use crate::numbers::{Random, to_f64};

/// The set as the definition lists it, in the host's floats.
macro_rules! host_set {
    ($name:ident, $float:ty) => {
        fn $name(x: $float, scale: $float, bias: $float) -> Vec<$float> {
            let keep = |v: $float| v;
            let flush = |v: $float| if v.is_subnormal() { v * 0.0 } else { v };
            let fused = |operands: fn($float) -> $float, result: fn($float) -> $float| {
                result(operands(x).mul_add(operands(scale), operands(bias)))
            };
            let unfused = |operands: fn($float) -> $float,
                           product: fn($float) -> $float,
                           result: fn($float) -> $float| {
                result(product(operands(x) * operands(scale)) + operands(bias))
            };
            vec![
                fused(keep, keep),
                fused(flush, flush),
                fused(keep, flush),
                unfused(keep, keep, keep),
                unfused(flush, flush, flush),
                unfused(keep, keep, flush),
                unfused(keep, flush, keep),
            ]
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

#[expect(clippy::cast_possible_truncation, reason = "the element is an f32 or narrower")]
fn check_against_f32(dtype: DType, scale: f32, bias: f32, x: u64) -> usize {
    let clamp = Clamp::unbounded(dtype).with_affine(scale, bias).unwrap();
    if clamp.affine().is_none() || !to_f64(dtype, x).is_finite() {
        return 0;
    }
    let round = |v: f32| match dtype {
        DType::F16 => f16::from_f32(v).to_bits64(),
        DType::BF16 => bf16::from_f32(v).to_bits64(),
        _ => v.to_bits64(),
    };
    let results = host_set_f32(to_f64(dtype, x) as f32, scale, bias);
    assert_set(&clamp, x, results.into_iter().map(round).collect())
}

/// A bias of the size of the product makes both roundings matter.
fn bias(random: &mut Random, product: f32) -> f32 {
    let near = -product * random.pick(&[1.0, 1.0 + f32::EPSILON, 0.5, -1e-7]);
    if random.below(2) == 0 && near.is_finite() { near } else { random.finite_f32() }
}

#[test]
fn f32_f16_and_bf16_as_the_host_computes() {
    for (seed, dtype) in [DType::F32, DType::F16, DType::BF16].into_iter().enumerate() {
        let mut random = Random(400 + seed as u64);
        let mut sizes = [0; 8];
        for _ in 0..200_000 {
            let (x, scale) = (random.float(dtype), random.finite_f32());
            #[expect(clippy::cast_possible_truncation, reason = "a start for the bias")]
            let bias = bias(&mut random, to_f64(dtype, x) as f32 * scale);
            sizes[check_against_f32(dtype, scale, bias, x)] += 1;
        }
        // The inputs must reach the cases that differ.
        assert!(
            sizes[1] > 0 && sizes[2] > 100 && (dtype == DType::F16 || sizes[3] > 10),
            "{dtype}: {sizes:?}"
        );
    }
}

#[test]
fn f64_as_the_host_computes() {
    let mut random = Random(500);
    let mut sizes = [0; 8];
    for _ in 0..200_000 {
        let (x, scale) = (f64::from_bits(random.float(DType::F64)), random.finite_f64());
        let near = -x * scale * random.pick(&[1.0, 1.0 + f64::EPSILON, 0.5]);
        let bias = if random.below(2) == 0 && near.is_finite() { near } else { random.finite_f64() };
        let clamp = Clamp::unbounded(DType::F64).with_affine_f64(scale, bias).unwrap();
        if x.is_finite() && clamp.affine().is_some() {
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

#[test]
fn every_f16_and_bf16() {
    for (scale, bias) in [(0.1, -0.3), (3.0e-5, 1.0e-8), (65504.0, -1.0), (1.0e-38, 1.0e-45)] {
        for x in 0..=0xffff {
            check_against_f32(DType::F16, scale, bias, x);
            check_against_f32(DType::BF16, scale, bias, x);
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
    // A subnormal result: as it is, or a zero of its sign. Nothing between, and no zero of the other sign.
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
    // A flushed product alone: 2^-127 + 2^-126 is 1.5 * 2^-126, or 2^-126.
    assert_eq!(set(0.5, smallest_normal, smallest_normal), [0x0080_0000, 0x00c0_0000]);
    // A product that overflows although the sum does not.
    assert_eq!(set(2.0, f32::MIN, f32::MAX), [f32::MAX.to_bits64(), f32::INFINITY.to_bits64()]);
    // 2^24 + 1 = 97 * 257 * 673 makes a product half way between two numbers. The product alone rounds down to
    // 2^-126, and the bias leaves a subnormal; fused, the tie goes up to 2^-126, which is normal. So the +0 comes
    // from flushing the result of the unfused form and nothing else (flushing everywhere loses the bias).
    let product = (24929.0 * 2.0_f32.powi(-75), 673.0 * 2.0_f32.powi(-75));
    assert_eq!(set(product.1, -tiny, product.0), [0, 0x007f_ffff, 0x0080_0000]);
    // The same one binade higher: there only the unfused result is subnormal at all.
    assert_eq!(set(2.0 * product.1, -(smallest_normal + tiny), product.0), [0, 0x007f_ffff, 0x0080_0000]);
    // f16 subnormals are ordinary f32 numbers and never flushed.
    assert_eq!(set(2.0, 0.0, f16::from_bits(1)), [2]);
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
