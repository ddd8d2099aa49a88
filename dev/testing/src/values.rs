//! Elements and clamps that are worth testing.

use wgpu_clamp::{Clamp, DType, NanRule, Number, Order, Precision, Scalar};

use crate::numbers::{AFFINES, MORE_AFFINES};
pub use crate::numbers::{bits_of, mask};
use crate::random::Random;
pub use wgpu_clamp::self_test::edges;

/// The element of a dtype with the given bits.
pub fn scalar(dtype: DType, bits: u64) -> Scalar {
    Scalar::from_bits(dtype, bits).unwrap()
}

/// The element that is [`bits_of`] an f64.
pub fn scalar_of(dtype: DType, x: f64) -> Scalar {
    scalar(dtype, bits_of(dtype, x))
}

/// The scale and the bias of a clamp, if it has an affine step.
fn step(clamp: &Clamp) -> Option<(f64, f64)> {
    let number = |number| match number {
        Number::Value(scalar) if scalar.dtype() == DType::F64 => Some(f64::from_bits(scalar.bits())),
        Number::Value(scalar) => Some(f32::from_bits(scalar.bits() as u32).into()),
        _ => None,
    };
    number(clamp.scale()).zip(number(clamp.bias()))
}

/// Every value of the 8- and 16-bit dtypes. For wider dtypes: the self-test's elements, the clamp's bounds and the
/// root of its affine step, both with neighbours, and `random` random patterns.
pub fn elements(clamp: &Clamp, random: usize, seed: u64) -> Vec<u64> {
    let dtype = clamp.dtype();
    if dtype.bits() <= 16 {
        return (0..=mask(dtype)).collect();
    }
    let mut elements = wgpu_clamp::self_test::elements(dtype, 0);
    for bound in [clamp.min(), clamp.max()] {
        if let Number::Value(bound) = bound {
            let bits = bound.bits();
            elements.extend([bits.wrapping_sub(1), bits, bits.wrapping_add(1)].map(|x| x & mask(dtype)));
        }
    }
    let step = step(clamp);
    if let Some((scale, bias)) = step {
        // At the root, `x * scale` and `bias` cancel.
        let root = bits_of(dtype, -bias / scale);
        elements.extend((0..9).map(|n| root.wrapping_add(n).wrapping_sub(4) & mask(dtype)));
    }
    let mut rng = Random(seed);
    elements.extend((0..random).map(|n| {
        let bits = rng.bits() & mask(dtype);
        if let (DType::F64, Some(step), 0) = (dtype, step, n % 8) {
            return aimed(step, &mut rng);
        }
        // Half of the patterns become small numbers, because large ones mostly saturate.
        if n % 2 == 0 {
            bits
        } else if dtype.is_float() {
            bits_of(dtype, f64::from(bits as i32) * (-f64::from((n % 40) as u32)).exp2())
        } else {
            (bits >> (bits % u64::from(dtype.bits()))).wrapping_sub(bits & 7) & mask(dtype)
        }
    }));
    elements
}

/// The bits of an f64 whose result is nearly subnormal, nearly overflows, or is small because the two terms cancel.
fn aimed((scale, bias): (f64, f64), rng: &mut Random) -> u64 {
    let near_bias = (bias.to_bits() >> 52 & 0x7ff).saturating_sub(rng.bits() % 60);
    let exponent = rng.pick(&[0, 0, 1, 2, 2045, 2046, near_bias]);
    let target = f64::from_bits((rng.bits() & !(0x7ff << 52)) | exponent << 52);
    let x = ((target - bias) / scale).to_bits();
    x.wrapping_add(rng.bits() % 3).wrapping_sub(1)
}

/// Pairs of bounds: in either order, absent, equal, signed zeros, infinite, NaN, at the dtype's limits.
fn bound_pairs(dtype: DType) -> Vec<(Number, Number)> {
    let value = |x| Number::from(scalar_of(dtype, x));
    let of_bits = |bits| Number::from(scalar(dtype, bits));
    let mut pairs = vec![
        (Number::Absent, Number::Absent),
        (value(1.0), Number::Absent),
        (Number::Absent, value(6.0)),
        (value(1.0), value(6.0)),
        (value(6.0), value(1.0)),
        (value(6.0), value(6.0)),
    ];
    if dtype.is_float() {
        let nan = of_bits(bits_of(dtype, f64::NAN) | 1);
        pairs.extend([
            (value(0.0), value(-0.0)),
            (value(-0.0), value(0.0)),
            (value(0.0), value(-1.0)),
            (value(-0.0), value(-1.0)),
            // Significands that use all bits.
            (value(-0.1), value(0.7)),
            (value(f64::NEG_INFINITY), value(f64::INFINITY)),
            (value(f64::INFINITY), value(f64::NEG_INFINITY)),
            (nan, value(2.0)),
            (value(-2.0), nan),
            (nan, nan),
            (of_bits(1), of_bits(mask(dtype) >> 2)),
        ]);
    } else {
        let (low, high) = if dtype.is_signed_integer() {
            (1 << (dtype.bits() - 1), mask(dtype) >> 1)
        } else {
            (0, mask(dtype))
        };
        pairs.extend([
            (of_bits(low), of_bits(high)),
            (of_bits(high), of_bits(low)),
            (of_bits(mask(dtype)), of_bits(high)),
            (of_bits(low), of_bits(mask(dtype) - 2)),
        ]);
    }
    pairs
}

/// Every pair of bounds with every order and, for floats, every NaN rule.
pub fn plain_clamps(dtype: DType) -> Vec<Clamp> {
    let rules: &[NanRule] = if dtype.is_float() {
        &[NanRule::Propagate, NanRule::ToMin, NanRule::ToMax]
    } else {
        &[NanRule::Propagate]
    };
    let mut clamps = Vec::new();
    for (min, max) in bound_pairs(dtype) {
        for order in [Order::MinWins, Order::MaxWins] {
            for &rule in rules {
                let clamp = Clamp::unbounded(dtype).with_bounds(min, max).unwrap();
                clamps.push(clamp.with_order(order).with_nan_rule(rule));
            }
        }
    }
    clamps
}

/// Ordinary scales and biases, and some for which exact arithmetic is hard: tiny, huge, cancelling, subnormal.
pub fn affine_pairs(dtype: DType) -> Vec<(f32, f32)> {
    let tiny = f32::from_bits(1);
    let mut pairs = [AFFINES.as_slice(), &MORE_AFFINES].concat();
    pairs.extend([
        (1.5, -20.0),
        (0.1, 0.3),
        (-2.0, 255.0),
        (1.0, 0.5),
        (-1.0, -0.0),
        (0.0, 0.0),
        (-0.0, -0.0),
        (0.0, 7.75),
        (1.0, 1e-40),
        (1.0, -1e-40),
        (tiny, 1.0),
        (tiny, -tiny),
        (-tiny, 2.0),
        (f32::MIN_POSITIVE, 0.999_999_94),
        (f32::MAX, -f32::MAX),
        (f32::MAX, 0.25),
        (-f32::MAX, f32::MIN_POSITIVE),
        (1e-3, f32::MAX),
        (16_777_216.0, -33_554_432.0),
        (16_777_217.0, 1e9),
        (33_554_432.0, -3.0),
        (4_294_967_296.0, -8_589_934_592.0),
        (-4_294_967_296.0, 12.5),
        (8_589_934_592.0, -4_294_967_296.0),
        (1e12, -3e12),
        (1e18, 5e18),
        (-1e20, 1e20),
        (2e-10, -0.999_999_94),
        (2e-20, 0.999_999_94),
        (3e-30, 1.000_000_1),
        // Products far below 1 that decide whether the sum reaches the next integer.
        (2e-12, 0.999_999_94),
        (-2e-12, -0.999_999_94),
        (2e-12, -1.0),
        (2e-22, 0.999_999_94),
        (-2e-22, 1.0),
        // Large scales whose root is a large element.
        (3e7, -1e18),
        (-1e9, 3e27),
        (0.003_921_569, 0.0),
        (1.000_000_1, 0.0),
        (0.999_999_94, 0.000_001),
        (256.0, -32_768.0),
        (65_536.0, 0.5),
        (0.333_333_34, -0.666_666_7),
    ]);
    if dtype.is_float() {
        pairs.extend([(1e-7, 1e-8), (5.960_464_5e-8, 0.0), (0.5, 0.0), (1e-30, 1e-38), (1e-38, -1e-45)]);
    }
    pairs
}

/// The clamp with a scale and bias, once for each precision that makes a difference.
pub fn with_precisions(clamp: Clamp, (scale, bias): (f32, f32)) -> Vec<Clamp> {
    let affine = clamp.with_affine(scale, bias).unwrap();
    if clamp.dtype().is_float() {
        [Precision::Fast, Precision::Exact].map(|precision| affine.with_precision(precision)).to_vec()
    } else {
        vec![affine]
    }
}
