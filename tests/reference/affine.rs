//! Compares the exact affine step with arbitrary-precision integers.

use num_bigint::{BigInt, Sign};
use wgpu_clamp::{Clamp, DType, Element, Number, Precision, reference};

use crate::numbers::{
    Fixed, Random, bias_for, fields, infinity, narrow, parameter, sign_bit, to_f64, to_i128,
};

const FLOATS: [DType; 4] = [DType::F32, DType::F16, DType::BF16, DType::F64];

fn exact(dtype: DType, scale: f64, bias: f64) -> Clamp {
    let clamp = Clamp::unbounded(dtype).with_precision(Precision::Exact);
    if dtype == DType::F64 {
        clamp.with_scale_bias(scale, bias).unwrap()
    } else {
        clamp.with_affine(narrow(scale), narrow(bias)).unwrap()
    }
}

/// Asserts that `got` is `x * scale + bias` rounded to nearest, ties to even: the exact number lies between the
/// midpoints to both neighbours.
fn assert_rounded(dtype: DType, (x, scale, bias): (u64, f64, f64), got: u64) {
    let context = || format!("{dtype}: {x:#x} * {scale:e} + {bias:e} = {got:#x}");
    let value = to_f64(dtype, x);
    let sum = Fixed::product(Fixed::parts(value), Fixed::parts(scale)) + Fixed::from_f64(bias);
    let negative = match sum.sign() {
        Sign::Plus => false,
        Sign::Minus => true,
        Sign::NoSign => {
            let product_negative = value.is_sign_negative() != scale.is_sign_negative();
            // Only negative zeros add up to −0; a cancelled sum is +0.
            bias == 0.0 && bias.is_sign_negative() && product_negative
        }
    };
    assert_eq!(got & sign_bit(dtype) != 0, negative, "sign: {}", context());
    let magnitude = got & (sign_bit(dtype) - 1);
    assert!(magnitude <= infinity(dtype), "NaN: {}", context());
    let twice = BigInt::from(sum.magnitude() * 2_u32);
    let here = Fixed::ladder(dtype, magnitude);
    let even = magnitude.is_multiple_of(2);
    if magnitude > 0 {
        let midpoint = Fixed::ladder(dtype, magnitude - 1) + &here;
        assert!(twice > midpoint || (twice == midpoint && even), "too large: {}", context());
    }
    if magnitude < infinity(dtype) {
        let midpoint = Fixed::ladder(dtype, magnitude + 1) + &here;
        assert!(twice < midpoint || (twice == midpoint && even), "too small: {}", context());
    }
}

#[test]
fn floats_are_rounded_once() {
    for (seed, dtype) in FLOATS.into_iter().enumerate() {
        let mut random = Random(seed as u64);
        let mut cases = 0;
        while cases < 40_000 {
            let x = random.float(dtype);
            if !to_f64(dtype, x).is_finite() {
                continue;
            }
            cases += 1;
            let scale = parameter(&mut random, dtype);
            let bias = bias_for(&mut random, dtype, to_f64(dtype, x) * scale);
            let clamp = exact(dtype, scale, bias);
            if clamp.scale() != Number::Absent {
                assert_rounded(dtype, (x, scale, bias), reference::element(&clamp, x));
            }
        }
    }
}

#[test]
fn every_f16_and_bf16_is_rounded_once() {
    let pairs =
        [(f64::from(0.1_f32), f64::from(-0.3_f32)), (-3.5, 2.0_f64.powi(-24)), (2.0_f64.powi(-9), 0.0)];
    for dtype in [DType::F16, DType::BF16] {
        for (scale, bias) in pairs {
            let clamp = exact(dtype, scale, bias);
            for x in (0..=0xffff).filter(|&x| to_f64(dtype, x).is_finite()) {
                assert_rounded(dtype, (x, scale, bias), reference::element(&clamp, x));
            }
        }
    }
}

fn assert_truncated(dtype: DType, (x, scale, bias): (u64, f64, f64), got: u64) {
    let lowest = if dtype.is_signed_integer() { -(1_i128 << (dtype.bits() - 1)) } else { 0 };
    let highest = lowest + (1_i128 << dtype.bits()) - 1;
    let sum = Fixed::product((to_i128(dtype, x), 0), Fixed::parts(scale)) + Fixed::from_f64(bias);
    let expected = Fixed::truncated(&sum).clamp(lowest.into(), highest.into());
    assert_eq!(BigInt::from(to_i128(dtype, got)), expected, "{dtype}: {x:#x} * {scale:e} + {bias:e}");
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "the product is only a start for the bias")]
fn integers_are_truncated_and_saturated() {
    for (seed, dtype) in DType::ALL.into_iter().filter(|dtype| !dtype.is_float()).enumerate() {
        let mut random = Random(seed as u64);
        for _ in 0..25_000 {
            let x = random.integer(dtype);
            let scale = parameter(&mut random, dtype);
            let bias = bias_for(&mut random, dtype, to_i128(dtype, x) as f64 * scale);
            assert_truncated(dtype, (x, scale, bias), reference::element(&exact(dtype, scale, bias), x));
        }
    }
}

#[test]
fn every_i8_and_u8_is_truncated_and_saturated() {
    let mut random = Random(8);
    for dtype in [DType::I8, DType::U8] {
        for _ in 0..100 {
            let scale = f64::from(narrow(4.0 * parameter(&mut random, dtype)));
            let bias = parameter(&mut random, dtype);
            let clamp = exact(dtype, scale, bias);
            for x in 0..=0xff {
                assert_truncated(dtype, (x, scale, bias), reference::element(&clamp, x));
            }
        }
    }
}

#[test]
fn integers_by_hand() {
    let i64_of = |x: i64, scale: f32, bias: f32| {
        let clamp = Clamp::unbounded(DType::I64).with_affine(scale, bias).unwrap();
        reference::element(&clamp, x.to_bits64()).cast_signed()
    };
    assert_eq!(i64_of(9_007_199_254_740_993, 1.0, 0.5), 9_007_199_254_740_993);
    assert_eq!(i64_of(-3, 0.5, 0.0), -1, "toward zero");
    assert_eq!(i64_of(-3, 0.5, -0.5), -2);
    assert_eq!(i64_of(-3, 0.5, f32::from_bits(1)), -1);
    assert_eq!(i64_of(1, 3.0, -f32::from_bits(1)), 2, "a tiny bias takes a whole step");
    assert_eq!(i64_of(-1, 3.0, f32::from_bits(1)), -2);
    assert_eq!(
        i64_of(i64::MAX, 2.0_f32.powi(64), -(2.0_f32.powi(127))),
        i64::MIN,
        "2^127 - 2^64 cancels to -2^64"
    );
    assert_eq!(i64_of(i64::MIN, -1.0, 0.0), i64::MAX, "saturated");
    assert_eq!(i64_of(i64::MIN, -1.0, -1.0), i64::MAX, "exactly the limit");
    assert_eq!(i64_of(5, f32::MAX, f32::MIN), i64::MAX);
    assert_eq!(i64_of(1, f32::MAX, f32::MIN), 0);
    assert_eq!(i64_of(7, -0.0, -0.0), 0);

    let u64_of = |x: u64, scale: f32, bias: f32| {
        reference::element(&Clamp::unbounded(DType::U64).with_affine(scale, bias).unwrap(), x)
    };
    assert_eq!(u64_of(u64::MAX, 1.0, -1.0), u64::MAX - 1);
    assert_eq!(u64_of(u64::MAX, 1.0, 0.5), u64::MAX);
    assert_eq!(u64_of(u64::MAX, 1.0, -0.5), u64::MAX - 1);
    assert_eq!(u64_of(3, -1.0, 2.5), 0);
}

#[test]
fn the_sign_of_a_float_zero() {
    const MINUS_ZERO: u64 = 0x8000_0000;
    let of = |x: f32, scale: f32, bias: f32| {
        let clamp = Clamp::unbounded(DType::F32).with_precision(Precision::Exact);
        reference::element(&clamp.with_affine(scale, bias).unwrap(), x.to_bits64())
    };
    assert_eq!(of(-0.0, 2.0, -0.0), MINUS_ZERO, "both addends are -0");
    assert_eq!(of(-0.0, 2.0, 0.0), 0);
    assert_eq!(of(0.0, 2.0, -0.0), 0);
    assert_eq!(of(0.0, -2.0, -0.0), MINUS_ZERO);
    assert_eq!(of(-3.0, 0.0, -0.0), MINUS_ZERO);
    assert_eq!(of(-3.0, 2.0, 6.0), 0, "what cancels is +0");
    assert_eq!(of(3.0, -2.0, 6.0), 0);
    let tiny = f32::from_bits(1);
    assert_eq!(of(-tiny, tiny, 0.0), MINUS_ZERO, "an underflow keeps its sign");
    assert_eq!(of(tiny, tiny, -0.0), 0);
    assert_eq!(of(tiny, 0.5, 0.0), 0, "a tie goes to even");
    assert_eq!(of(tiny, 0.75, 0.0), 1);
    assert_eq!(of(tiny, 1.5, 0.0), 2);
}

#[test]
fn rounding_at_the_edges_of_f16() {
    let of = |x: u64, scale: f32, bias: f32| {
        let clamp = Clamp::unbounded(DType::F16).with_precision(Precision::Exact);
        reference::element(&clamp.with_affine(scale, bias).unwrap(), x)
    };
    // 65504 is the largest number, 65520 half way to the next.
    assert_eq!(of(0x7bff, 1.0, 15.998_f32), 0x7bff);
    assert_eq!(of(0x7bff, 1.0, 16.0), 0x7c00, "the tie goes to even, which is infinity");
    assert_eq!(of(0xfbff, 1.0, -16.0), 0xfc00);
    // 1 + 2^-11 is a tie; f32 would drop the 2^-34 that decides it.
    assert_eq!(of(0x3c00, 1.0, 2.0_f32.powi(-11)), 0x3c00);
    let above = 2.0_f32.powi(-11) * (1.0 + f32::EPSILON);
    assert_eq!(of(0x3c00, 1.0, above), 0x3c01);
    // Half of the smallest subnormal, and a little more.
    assert_eq!(of(0x0001, 0.5, 0.0), 0);
    assert_eq!(of(0x0001, 0.5, 1e-30), 1);
    assert_eq!(of(0x03ff, 1.0, 2.0_f32.powi(-24)), 0x0400, "from subnormal to normal");
}

#[test]
fn nan_and_infinity_are_decided_by_rule() {
    for (seed, dtype) in FLOATS.into_iter().enumerate() {
        let mut random = Random(100 + seed as u64);
        let (infinity, sign) = (infinity(dtype), sign_bit(dtype));
        let quiet_nan = infinity | 1 << (fields(dtype).1 - 1);
        // Flushing must not turn a tiny scale into the zero that makes a NaN.
        let tiny = f32::from_bits(1);
        for precision in [Precision::Exact, Precision::Fast] {
            let of = |scale: f32, bias: f32, x: u64| {
                let clamp =
                    Clamp::unbounded(dtype).with_precision(precision).with_affine(scale, bias).unwrap();
                let allowed = reference::allowed(&clamp, x);
                assert_eq!(allowed.values(), [reference::element(&clamp, x)]);
                allowed.first()
            };
            for bias in [0.0, -0.0, 3.0, f32::MIN] {
                for scale in [2.0, tiny, f32::MAX] {
                    assert_eq!(of(scale, bias, infinity), infinity);
                    assert_eq!(of(scale, bias, infinity | sign), infinity | sign);
                    assert_eq!(of(-scale, bias, infinity), infinity | sign);
                    assert_eq!(of(-scale, bias, infinity | sign), infinity);
                }
                for scale in [0.0, -0.0] {
                    assert_eq!(of(scale, bias, infinity), quiet_nan);
                    assert_eq!(of(scale, bias, infinity | sign), quiet_nan);
                }
            }
            for _ in 0..1000 {
                let payload = 1 + random.below((1 << fields(dtype).1) - 1);
                let nan = infinity | payload | (random.below(2) * sign);
                assert_eq!(of(random.pick(&[0.0, -1.0, 2.0, tiny]), 5.0, nan), nan);
            }
        }
    }
}

#[test]
fn the_identity_changes_nothing() {
    for (seed, dtype) in DType::ALL.into_iter().enumerate() {
        let mut random = Random(200 + seed as u64);
        for bias in [0.0, -0.0] {
            let clamp = Clamp::unbounded(dtype).with_affine(1.0, bias).unwrap();
            for _ in 0..1000 {
                let x = random.element(dtype);
                assert_eq!(reference::allowed(&clamp, x).values(), [x]);
            }
        }
    }
}
