//! Results that are derived by hand.

use half::{bf16, f16};
use wgpu_clamp::{Clamp, DType, Element, NanRule, Number, Order, Precision, Rounding, reference};

use crate::bounds::ORDERS;
use crate::inputs::converting;

fn of<T: Element>(clamp: Clamp, x: T) -> u64 {
    reference::element(&clamp, x.to_bits64()).unwrap()
}

/// The exact result of an affine step.
fn step<T: Element>(x: T, scale: f32, bias: f32) -> u64 {
    let clamp = Clamp::unbounded(T::DTYPE).with_affine(scale, bias).unwrap();
    of(clamp.with_precision(Precision::Exact), x)
}

/// The result of an affine step, rounded to nearest.
fn nearest<T: Element>(x: T, scale: f32, bias: f32) -> u64 {
    let clamp = Clamp::unbounded(T::DTYPE).with_affine(scale, bias).unwrap();
    of(clamp.with_rounding(Rounding::NearestEven), x)
}

#[test]
fn integers() {
    let i64_of = |x: i64, scale, bias| step(x, scale, bias).cast_signed();
    assert_eq!(i64_of(9_007_199_254_740_993, 1.0, 0.5), 9_007_199_254_740_993);
    assert_eq!(i64_of(-3, 0.5, 0.0), -1, "toward zero");
    assert_eq!(i64_of(-3, 0.5, -0.5), -2);
    assert_eq!(i64_of(-3, 0.5, f32::from_bits(1)), -1);
    assert_eq!(i64_of(1, 3.0, -f32::from_bits(1)), 2, "a tiny bias takes a whole step");
    assert_eq!(i64_of(-1, 3.0, f32::from_bits(1)), -2);
    assert_eq!(i64_of(i64::MAX, 2.0_f32.powi(64), -(2.0_f32.powi(127))), i64::MIN, "cancels to -2^64");
    assert_eq!(i64_of(i64::MIN, -1.0, 0.0), i64::MAX, "saturated");
    assert_eq!(i64_of(i64::MIN, -1.0, -1.0), i64::MAX, "exactly the limit");
    assert_eq!(i64_of(5, f32::MAX, f32::MIN), i64::MAX);
    assert_eq!(i64_of(1, f32::MAX, f32::MIN), 0);
    assert_eq!(i64_of(7, -0.0, -0.0), 0);
    assert_eq!(step(u64::MAX, 1.0, -1.0), u64::MAX - 1);
    assert_eq!(step(u64::MAX, 1.0, 0.5), u64::MAX);
    assert_eq!(step(u64::MAX, 1.0, -0.5), u64::MAX - 1);
    assert_eq!(step(3_u64, -1.0, 2.5), 0);
}

#[test]
fn nearest_even() {
    let i64_of = |x: i64, scale, bias| nearest(x, scale, bias).cast_signed();
    let halves = [(1, 0), (2, 1), (3, 2), (5, 2), (7, 4), (-1, 0), (-3, -2), (-5, -2), (-7, -4)];
    for (x, half) in halves {
        assert_eq!(i64_of(x, 0.5, 0.0), half, "{x} / 2");
    }
    // Numbers whose low bits f64 would drop.
    let odd = (1_i64 << 60) + 1;
    assert_eq!(i64_of(odd, 1.0, 0.5), odd + 1);
    assert_eq!(i64_of(odd, 1.0, -0.5), odd - 1);
    assert_eq!(i64_of(odd, 1.0, 0.5_f32.next_down()), odd);
    assert_eq!(i64_of(odd + 1, 1.0, 0.5), odd + 1);
    assert_eq!(i64_of(odd + 1, 1.0, 0.5_f32.next_up()), odd + 2);
    // A bias far below the last bit decides.
    assert_eq!(i64_of(1, 0.5, f32::from_bits(1)), 1);
    assert_eq!(i64_of(3, 0.5, -f32::from_bits(1)), 1);
    assert_eq!(i64_of(-1, 0.5, -f32::from_bits(1)), -1);
    assert_eq!(i64_of(i64::MAX, 1.0, 0.5), i64::MAX, "saturated");
    assert_eq!(i64_of(i64::MIN, 1.0, -0.5), i64::MIN);
    assert_eq!(nearest(u64::MAX, 1.0, -0.5), u64::MAX - 1);
    assert_eq!(nearest(u64::MAX - 1, 1.0, 0.5), u64::MAX - 1);
    assert_eq!(nearest(u64::MAX, 1.0, 0.5), u64::MAX);
    assert_eq!(nearest(1_u64, -0.5, 0.0), 0);
    // The rounding has no effect on floats.
    assert_eq!(nearest(3.0_f32, 0.5, 0.0), 1.5_f32.to_bits64());
}

#[test]
fn the_sign_of_a_float_zero() {
    const MINUS_ZERO: u64 = 0x8000_0000;
    assert_eq!(step(-0.0_f32, 2.0, -0.0), MINUS_ZERO, "both addends are -0");
    assert_eq!(step(-0.0_f32, 2.0, 0.0), 0);
    assert_eq!(step(0.0_f32, 2.0, -0.0), 0);
    assert_eq!(step(0.0_f32, -2.0, -0.0), MINUS_ZERO);
    assert_eq!(step(-3.0_f32, 0.0, -0.0), MINUS_ZERO);
    assert_eq!(step(-3.0_f32, 2.0, 6.0), 0, "what cancels is +0");
    assert_eq!(step(3.0_f32, -2.0, 6.0), 0);
    let tiny = f32::from_bits(1);
    assert_eq!(step(-tiny, tiny, 0.0), MINUS_ZERO, "an underflow keeps its sign");
    assert_eq!(step(tiny, tiny, -0.0), 0);
    assert_eq!(step(tiny, 0.5, 0.0), 0, "a tie goes to even");
    assert_eq!(step(tiny, 0.75, 0.0), 1);
    assert_eq!(step(tiny, 1.5, 0.0), 2);
}

#[test]
fn rounding_at_the_edges_of_f16() {
    let of = |x, scale, bias| step(f16::from_bits(x), scale, bias);
    // 65504 is the largest number, 65520 half way to the next.
    assert_eq!(of(0x7bff, 1.0, 15.998_f32), 0x7bff);
    assert_eq!(of(0x7bff, 1.0, 16.0), 0x7c00, "the tie goes to even, which is infinity");
    assert_eq!(of(0xfbff, 1.0, -16.0), 0xfc00);
    // 1 + 2^-11 is a tie; f32 would drop the 2^-34 that decides it.
    assert_eq!(of(0x3c00, 1.0, 2.0_f32.powi(-11)), 0x3c00);
    assert_eq!(of(0x3c00, 1.0, 2.0_f32.powi(-11) * (1.0 + f32::EPSILON)), 0x3c01);
    // Half of the smallest subnormal, and a little more.
    assert_eq!(of(0x0001, 0.5, 0.0), 0);
    assert_eq!(of(0x0001, 0.5, 1e-30), 1);
    assert_eq!(of(0x03ff, 1.0, 2.0_f32.powi(-24)), 0x0400, "from subnormal to normal");
}

#[test]
fn conversions() {
    use DType::{BF16, F16, F32, I8, U8, U16};
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
        // The second is a tie, which goes to infinity.
        (U16, 65519, F16, 0x7bff),
        (U16, 65520, F16, 0x7c00),
        // A BF16 far below every F16; and the smallest F16, 2^-24.
        (BF16, 0x0001, F16, 0),
        (F16, 0x0001, BF16, 0x3380),
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

/// Exact results round once, not first to f32.
#[test]
fn exact_rounds_once() {
    let to_i8 = |source, scale, bias| {
        let clamp = converting(source, DType::I8).with_affine(scale, bias).unwrap();
        clamp.with_rounding(Rounding::NearestEven)
    };
    assert_eq!(of(to_i8(DType::I16, 2.0_f32.powi(-10), 0.5), 1024_i16), 2, "1.5 is a tie");
    let exact = to_i8(DType::F32, 1.0, 2.0_f32.powi(-40));
    assert_eq!(of(exact, 2.5_f32), 3, "above the tie");
    assert_eq!(
        reference::allowed(&exact, 2.5_f32.to_bits64()).unwrap().values(),
        [2],
        "in f32 it is the tie"
    );
    // Between integers Fast is exact.
    let integers = to_i8(DType::I16, 1.0, 2.0_f32.powi(-40) - 0.5);
    assert_eq!(
        reference::allowed(&integers, 3).unwrap().values(),
        [reference::element(&integers, 3).unwrap()]
    );
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
fn zeros_are_equal_and_keep_their_sign() {
    let (plus, minus) = (0.0_f32.to_bits64(), (-0.0_f32).to_bits64());
    assert_eq!(of(Clamp::at_least(0.0_f32), -0.0_f32), minus);
    assert_eq!(of(Clamp::at_most(-0.0_f32), 0.0_f32), plus);
    // +0 is not greater than −0: in either order, the bound that the element exceeds applies.
    for order in ORDERS {
        let clamp = Clamp::new(0.0_f32, -0.0).with_order(order);
        assert_eq!([5.0_f32, -5.0, 0.0, -0.0].map(|x| of(clamp, x)), [minus, plus, plus, minus]);
    }
}

#[test]
fn the_order_decides_where_min_exceeds_max() {
    let clamp = Clamp::new(2_i64, 1);
    for x in [i64::MIN, 0, 1, 2, 3, i64::MAX] {
        assert_eq!(of(clamp, x), 2);
        assert_eq!(of(clamp.with_order(Order::MaxWins), x), 1);
    }
    let clamp = Clamp::new(f64::INFINITY, f64::NEG_INFINITY);
    assert_eq!(of(clamp, 0.0), f64::INFINITY.to_bits());
    assert_eq!(of(clamp.with_order(Order::MaxWins), 0.0), f64::NEG_INFINITY.to_bits());
}

#[test]
fn nan_elements_follow_the_rule() {
    let signalling = bf16::from_bits(0xff81);
    let clamp = Clamp::new(bf16::NEG_ONE, bf16::ONE);
    assert_eq!(of(clamp, signalling), 0xff81);
    assert_eq!(of(clamp.with_nan_rule(NanRule::ToMin), signalling), bf16::NEG_ONE.to_bits64());
    assert_eq!(of(clamp.with_nan_rule(NanRule::ToMax), signalling), bf16::ONE.to_bits64());

    // Without a bound that replaces it, the NaN becomes an infinity.
    assert_eq!(of(Clamp::at_most(f16::ONE).with_nan_rule(NanRule::ToMin), f16::NAN), 0xfc00);
    assert_eq!(of(Clamp::at_least(f16::ONE).with_nan_rule(NanRule::ToMax), f16::NAN), 0x7c00);
    assert_eq!(of(Clamp::at_least(f16::NAN).with_nan_rule(NanRule::ToMin), f16::NAN), 0xfc00);

    // Crossed bounds replace a NaN too, unless it propagates.
    let crossed = Clamp::new(2.0_f32, 1.0);
    assert_eq!(of(crossed, f32::NAN), f32::NAN.to_bits64());
    assert_eq!(of(crossed.with_nan_rule(NanRule::ToMin), f32::NAN), 2.0_f32.to_bits64());
    assert_eq!(of(crossed.with_nan_rule(NanRule::ToMax), f32::NAN), 2.0_f32.to_bits64());
}

#[test]
fn nan_bounds_never_replace() {
    let clamp = Clamp::new(f32::NAN, -f32::NAN);
    for x in [f32::NEG_INFINITY, -1.0, -0.0, 1e-45, f32::INFINITY] {
        assert_eq!(of(clamp, x), x.to_bits64());
    }
    assert_eq!(of(Clamp::new(f32::NAN, 1.0), 2.0_f32), 1.0_f32.to_bits64());
    assert_eq!(of(Clamp::new(1.0, f32::NAN), 0.0_f32), 1.0_f32.to_bits64());
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
