//! `DirectML` runs on Windows only. Its cases are therefore derived from its documentation: the pages of
//! `DML_ELEMENT_WISE_CLIP_OPERATOR_DESC`, of `DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC`, and HLSL's `min` and `max`.

use half::f16;
use wgpu_clamp::standards::directml::{ElementWiseClip1, FeatureLevel, ScaleBias, TensorDesc};
use wgpu_clamp::{Clamp, Element, Precision};

/// A sentence of the documentation, with elements and results as bits.
pub struct Case {
    /// The sentence, paraphrased.
    pub sentence: &'static str,
    /// The clamp that the sentence is about.
    pub clamp: Clamp,
    /// Elements.
    pub src: Vec<u64>,
    /// The result of each.
    pub expected: Vec<u64>,
}

/// A case of CLIP at the newest feature level, from pairs of an element and its result.
fn clip<T: Element>(sentence: &'static str, [min, max]: [f32; 2], pairs: &[(T, T)]) -> Case {
    let clamp = Clamp::directml(T::DTYPE, min, max, None, FeatureLevel::default()).unwrap();
    case(sentence, clamp, pairs)
}

/// [`clip`] with a scale and a bias. Float results are exactly rounded.
fn scaled<T: Element>([scale, bias]: [f32; 2], [min, max]: [f32; 2], pairs: &[(T, T)]) -> Case {
    let scale_bias = Some(ScaleBias { scale, bias });
    let clamp = Clamp::directml(T::DTYPE, min, max, scale_bias, FeatureLevel::default()).unwrap();
    case(SCALED, clamp, pairs)
}

/// A case of CLIP1.
fn clip1<T: Element>(sentence: &'static str, [min, max]: [T; 2], pairs: &[(T, T)]) -> Case {
    let tensor = TensorDesc { dtype: T::DTYPE, sizes: &[1], strides: None };
    let desc = ElementWiseClip1::new(tensor, tensor, None, min, max);
    case(sentence, desc.resolve(FeatureLevel::default()).unwrap().0, pairs)
}

fn case<T: Element>(sentence: &'static str, clamp: Clamp, pairs: &[(T, T)]) -> Case {
    let (src, expected) = pairs.iter().map(|(x, y)| (x.to_bits64(), y.to_bits64())).unzip();
    Case { sentence, clamp: clamp.with_precision(Precision::Exact), src, expected }
}

const WITHIN: &str = "every element ends up in the closed interval from Min to Max";
const FORMULA: &str = "the result is max(Min, min(x, Max))";
const REPLACED: &str = "a value below Min is replaced by Min, one above Max by Max";
const TRUNCATED: &str = "for an integer tensor the float bounds are truncated toward zero first";
const ROUNDED: &str = "for another float type the bounds are rounded to the nearest even first";
const SCALED: &str = "a scale and bias, if present, are applied to x before the bounds: x * scale + bias";
const NULL: &str = "scale and bias may be left out";
const NAN: &str = "given a NaN and a number, HLSL's min and max return the number: min(NaN, Max) is Max";
const TYPED: &str = "the scalars of CLIP1 have the type of the tensor";

/// All cases.
pub fn cases() -> Vec<Case> {
    [floats(), halves(), integers(), affine(), typed()].into_iter().flatten().collect()
}

fn floats() -> Vec<Case> {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let signalling = f32::from_bits(0x7f80_0001);
    vec![
        clip(WITHIN, [-1.0, 1.0], &[(-1.5_f32, -1.0), (-1.0, -1.0), (0.25, 0.25), (1.0, 1.0), (9.0, 1.0)]),
        clip(REPLACED, [-1.0, 1.0], &[(-inf, -1.0), (inf, 1.0)]),
        clip(REPLACED, [0.0, inf], &[(-1e-45, 0.0), (-0.0, -0.0), (f32::MAX, f32::MAX), (inf, inf)]),
        clip(REPLACED, [-inf, -0.0], &[(1e-45_f32, -0.0), (0.0, 0.0), (-3.0, -3.0)]),
        clip(FORMULA, [2.0, 1.0], &[(0.0, 2.0), (1.5, 2.0), (3.0, 2.0), (inf, 2.0), (-inf, 2.0)]),
        clip(FORMULA, [3.0, 3.0], &[(0.0_f32, 3.0), (3.0, 3.0), (5.0, 3.0)]),
        clip(NULL, [-1e-40, 1.0], &[(1e-40_f32, 1e-40), (-1e-41, -1e-41), (-0.0, -0.0)]),
        clip(NAN, [-1.0, 1.0], &[(nan, 1.0), (-nan, 1.0), (signalling, 1.0)]),
        clip(NAN, [-1.0, inf], &[(nan, inf)]),
        clip(NAN, [2.0, 1.0], &[(nan, 2.0)]),
    ]
}

fn halves() -> Vec<Case> {
    let bits = f16::from_bits;
    let (huge, tiny, inf) = (bits(0x7bff), bits(0x0001), f16::INFINITY);
    vec![
        // 2049 is halfway between 2048 and 2050, 2051 between 2050 and 2052: each rounds to the even significand.
        clip(ROUNDED, [-2049.0, 2051.0], &[(-huge, bits(0xe800)), (huge, bits(0x6802))]),
        // 2^−25 is halfway between 0 and the smallest subnormal, 2^−24; 1.5 × 2^−24 is halfway between 2^−24 and 2^−23.
        // Both round to even.
        clip(ROUNDED, [-0.5, 1.5].map(|x| x / 16_777_216.0), &[(-tiny, bits(0x8000)), (huge, bits(2))]),
        // 65520 is halfway between the largest number and the next power of two, so it rounds to infinity.
        clip(ROUNDED, [-65519.0, 65520.0], &[(-inf, -huge), (inf, inf)]),
        clip(NAN, [-1.0, 6.0], &[(f16::NAN, bits(0x4600)), (bits(0xfc01), bits(0x4600))]),
        clip(FORMULA, [1.0, -1.0], &[(bits(0), bits(0x3c00)), (f16::NAN, bits(0x3c00))]),
    ]
}

fn integers() -> Vec<Case> {
    let infinite = [f32::NEG_INFINITY, f32::INFINITY];
    let power = |n| 2.0_f32.powi(n);
    let i64s = [(i64::MIN, i64::MIN), (i64::MAX, i64::MAX)];
    vec![
        clip(TRUNCATED, [-1.9, 1.9], &[(-7_i8, -1), (-1, -1), (0, 0), (1, 1), (7, 1)]),
        clip(TRUNCATED, [-0.5, 0.5], &[(-7_i16, 0), (0, 0), (7, 0)]),
        clip(TRUNCATED, [0.2, 0.8], &[(-7_i32, 0), (0, 0), (7, 0)]),
        clip(TRUNCATED, [-0.8, -0.2], &[(-7_i64, 0), (0, 0), (7, 0)]),
        clip(TRUNCATED, [-3.5, 254.99], &[(0_u8, 0), (254, 254), (255, 254)]),
        clip(TRUNCATED, [-1e9, 1e9], &[(i16::MIN, i16::MIN), (i16::MAX, i16::MAX)]),
        clip(TRUNCATED, infinite, &i64s),
        // 2^63 is too large for I64 but fits U64.
        clip(TRUNCATED, [-power(63), power(63)], &i64s),
        clip(TRUNCATED, [1.0, power(63)], &[(0_u64, 1), (u64::MAX, 1 << 63)]),
        clip(TRUNCATED, [power(24), power(32)], &[(0_u32, 1 << 24), (u32::MAX, u32::MAX)]),
        clip(FORMULA, [5.0, 3.0], &[(0_u16, 5), (4, 5), (9, 5)]),
        // Min is above Max before truncation and equals it afterwards.
        clip(FORMULA, [3.9, 3.1], &[(0_u32, 3), (9, 3)]),
    ]
}

fn affine() -> Vec<Case> {
    vec![
        scaled([0.5, 0.25], [-1.0, 1.0], &[(1.0_f32, 0.75), (2.0, 1.0), (-3.0, -1.0)]),
        scaled([-2.0, 1.0], [-10.0, 10.0], &[(3.0, -5.0), (f32::INFINITY, -10.0), (f32::NAN, 10.0)]),
        scaled([1.5, -20.0], [0.0, 200.0], &[(0_u8, 0), (15, 2), (100, 130), (250, 200)]),
        scaled([0.5, 0.0], [-100.0, 100.0], &[(-7_i32, -3), (7, 3), (900, 100)]),
        scaled([0.25, 0.0], [0.0, 4.0], &[(f16::from_f32(2.0), f16::from_f32(0.5))]),
        // Scale 1 and bias 0 change nothing, not even the sign of a zero.
        scaled([1.0, 0.0], [-1.0, 1.0], &[(-0.0_f32, -0.0), (1e-45, 1e-45)]),
    ]
}

fn typed() -> Vec<Case> {
    let beyond_f32 = 9_007_199_254_740_993;
    let (low, high) = (f16::from_bits(0xbc01), f16::from_bits(0x3c01));
    vec![
        clip1(TYPED, [-beyond_f32, beyond_f32], &[(i64::MIN, -beyond_f32), (i64::MAX, beyond_f32)]),
        clip1(TYPED, [1, u64::MAX - 1], &[(0, 1), (u64::MAX, u64::MAX - 1)]),
        clip1(TYPED, [-5_i8, 5], &[(-128, -5), (3, 3), (127, 5)]),
        clip1(TYPED, [low, high], &[(f16::INFINITY, high)]),
        clip1(FORMULA, [5_u16, 3], &[(0, 5), (4, 5), (9, 5)]),
        clip1(NAN, [-1.0_f32, 1.0], &[(f32::NAN, 1.0)]),
    ]
}
