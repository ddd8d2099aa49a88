//! Results that are derived by hand.

use wgpu_clamp::{Clamp, DType, Element, NanRule, Number, Precision, Rounding, reference};

use crate::inputs::converting;

fn of<T: Element>(clamp: Clamp, x: T) -> u64 {
    reference::element(&clamp, x.to_bits64()).unwrap()
}

/// Exact results: a dtype, an element, scale and bias, and the results of both roundings.
#[test]
fn affine_steps() {
    use DType::{F16, F32, I64, U64};
    let power = |n: i32| 2.0_f32.powi(n);
    let tiny = f32::from_bits(1);
    let odd = (1_u64 << 60) + 1;
    let [lowest, highest] = [1_u64 << 63, u64::MAX >> 1];
    let minus = |x: u64| x.wrapping_neg();
    let minus_zero = 0x8000_0000;
    for (dtype, x, scale, bias, [truncated, nearest]) in [
        // Numbers whose low bits f64 would drop.
        (I64, odd, 1.0, 0.5, [odd, odd + 1]),
        (I64, odd, 1.0, -0.5, [odd - 1, odd - 1]),
        (I64, odd + 1, 1.0, 0.5_f32.next_up(), [odd + 1, odd + 2]),
        (I64, minus(3), 0.5, 0.0, [minus(1), minus(2)]),
        (I64, 7, 0.5, 0.0, [3, 4]),
        // A bias far below the last bit decides.
        (I64, 1, 3.0, -tiny, [2, 3]),
        (I64, 1, 0.5, tiny, [0, 1]),
        (I64, 3, 0.5, -tiny, [1, 1]),
        // What cancels, and what saturates.
        (I64, highest, power(64), -power(127), [lowest; 2]),
        (I64, lowest, -1.0, 0.0, [highest; 2]),
        (I64, 1, f32::MAX, f32::MIN, [0; 2]),
        (U64, u64::MAX, 1.0, -1.0, [u64::MAX - 1; 2]),
        (U64, u64::MAX, 1.0, 0.5, [u64::MAX; 2]),
        (U64, 3, -1.0, 2.5, [0; 2]),
        // Both addends are −0; one of them; what cancels is +0; an underflow keeps its sign.
        (F32, minus_zero, 2.0, -0.0, [minus_zero; 2]),
        (F32, minus_zero, 2.0, 0.0, [0; 2]),
        (F32, (-3.0_f32).to_bits64(), 0.0, -0.0, [minus_zero; 2]),
        (F32, (-3.0_f32).to_bits64(), 2.0, 6.0, [0; 2]),
        (F32, minus_zero | 1, tiny, 0.0, [minus_zero; 2]),
        // A tie goes to even.
        (F32, 1, 0.5, 0.0, [0; 2]),
        (F32, 1, 1.5, 0.0, [2; 2]),
        // 65504 is the largest number, 65520 half way to the next, which is infinity.
        (F16, 0x7bff, 1.0, 15.998, [0x7bff; 2]),
        (F16, 0x7bff, 1.0, 16.0, [0x7c00; 2]),
        // 1 + 2^-11 is a tie; f32 would drop the 2^-34 that decides it.
        (F16, 0x3c00, 1.0, power(-11), [0x3c00; 2]),
        (F16, 0x3c00, 1.0, power(-11) * (1.0 + f32::EPSILON), [0x3c01; 2]),
    ] {
        let clamp = Clamp::unbounded(dtype).with_affine(scale, bias).unwrap();
        let exact = clamp.with_precision(Precision::Exact);
        let of = |rounding| reference::element(&exact.with_rounding(rounding), x).unwrap();
        let got = [Rounding::TowardZero, Rounding::NearestEven].map(of);
        assert_eq!(got, [truncated, nearest], "{dtype} {x:#x} * {scale} + {bias}");
    }
}

#[test]
fn conversions() {
    use DType::{BF16, F16, F32, I8, U8};
    for (source, x, dtype, expected) in [
        // A NaN stays a NaN, even if its payload does not fit.
        (F32, 0xff80_0001, F16, 0xfe00),
        (F32, 0x7fa4_6fff, F16, 0x7f23),
        (F32, 0x7fb5_ffff, BF16, 0x7ff5),
        (F16, 0xfc01, F32, 0xffc0_2000),
        (BF16, 0x7fa3, F32, 0x7fe3_0000),
        (F16, 0x7d0f, BF16, 0x7fe1),
        (BF16, 0xffb1, F16, 0xff88),
        // −0 stays −0, and an underflow keeps its sign.
        (F32, 0x8000_0000, F16, 0x8000),
        (BF16, 0x8000, F32, 0x8000_0000),
        (F32, 0x8000_0001, F16, 0x8000),
        (F32, 0x8000_0000, I8, 0),
        // Bits beyond the source are ignored.
        (U8, 0xffff_ff01, F32, 0x3f80_0000),
    ] {
        let got = reference::element(&converting(source, dtype), x).unwrap();
        assert_eq!(got, expected, "{source} to {dtype}: {x:#x} became {got:#x}");
    }

    // An integer 0 is +0 before the affine step.
    for (scale, bias, expected) in [(2.0, -0.0, 0), (-2.0, -0.0, 0x8000_0000), (-2.0, 0.0, 0)] {
        let clamp = converting(U8, F32).with_affine(scale, bias).unwrap();
        assert_eq!(reference::allowed(&clamp, 0).unwrap().values(), [expected]);
    }

    // The bounds have the destination's dtype.
    let clamp = Clamp::new(0.25_f32, 0.75).with_source(U8).unwrap().with_affine(1.0 / 255.0, 0.0).unwrap();
    let results = [0.25, 128.0 / 255.0, 0.75].map(|v: f32| v.to_bits64());
    assert_eq!([0_u8, 128, 255].map(|x| of(clamp, x)), results);
}

#[test]
fn the_nan_rule_comes_before_the_bounds() {
    let clamp = Clamp::new(5_u8, 250).with_source(DType::F32).unwrap();
    for (rule, expected) in [(NanRule::Propagate, 5), (NanRule::ToMin, 5), (NanRule::ToMax, 250)] {
        assert_eq!(of(clamp.with_nan_rule(rule), f32::NAN), expected);
    }
    let clamp = Clamp::new(-9_i16, -5).with_source(DType::F32).unwrap();
    assert_eq!(of(clamp, f32::NAN), (-5_i16).to_bits64(), "0 is above Max");
    let open = clamp.with_bounds(-9_i16, Number::Absent).unwrap();
    assert_eq!(of(open, f32::NAN), 0);
    assert_eq!(of(open.with_nan_rule(NanRule::ToMax), f32::NAN), 0x7fff);
    assert_eq!(of(open.with_nan_rule(NanRule::ToMin), f32::NAN), (-9_i16).to_bits64());
}

#[test]
fn bounds_apply_after_the_affine_step() {
    let clamp = Clamp::new(-1.0_f32, 1.0).with_affine(f32::MAX, 0.0).unwrap();
    assert_eq!(of(clamp, 2.0_f32), 1.0_f32.to_bits64(), "an overflow is an infinity, which meets Max");
    let zero = Clamp::new(-1.0_f32, 1.0).with_affine(0.0, 0.5).unwrap();
    assert_eq!(of(zero, f32::INFINITY), 0x7fc0_0000, "the NaN of infinity times zero propagates");
    assert_eq!(of(zero.with_nan_rule(NanRule::ToMin), f32::INFINITY), (-1.0_f32).to_bits64());
    assert_eq!(of(zero.with_nan_rule(NanRule::ToMax), f32::INFINITY), 1.0_f32.to_bits64());
    let levels = Clamp::new(10_u8, 99).with_affine(2.0, -20.0).unwrap();
    assert_eq!([0_u8, 14, 16, 200].map(|x| of(levels, x)), [10, 10, 12, 99]);
}

#[test]
fn bits_beyond_the_width_are_ignored() {
    let clamp = Clamp::new(-5_i8, 5);
    assert_eq!(reference::element(&clamp, 0xdead_be03).unwrap(), 3);
    assert_eq!(reference::allowed(&clamp, !0).unwrap().values(), [0xff]);
    let doubled = |dtype| converting(DType::F16, dtype).with_affine(2.0, 0.0).unwrap();
    assert_eq!(reference::allowed(&doubled(DType::F16), 0xffff_3c00).unwrap().values(), [0x4000]);
    assert_eq!(reference::allowed(&doubled(DType::F16), 0xffff_7c01).unwrap().values(), [0x7c01]);
    assert_eq!(reference::allowed(&doubled(DType::I8), 0xffff_3c00).unwrap().values(), [2]);
    assert_eq!(reference::allowed(&converting(DType::F32, DType::U8), 0x1_4000_0000).unwrap().values(), [2]);
}
