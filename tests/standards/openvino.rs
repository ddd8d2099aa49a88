//! `OpenVINO` Clamp-1.

use wgpu_clamp::standards::Standard;
use clamp_testing::numbers::mask;
use wgpu_clamp::{Clamp, DType, NanRule, Number, Order, reference};

use crate::{assert_dtypes, both, bounds, said};

/// The bits of a whole number, saturated to an integer dtype.
fn saturated(dtype: DType, whole: f64) -> u64 {
    let mask = mask(dtype);
    let [lowest, highest] = if dtype.is_signed_integer() {
        [!i128::from(mask >> 1), (mask >> 1).into()]
    } else {
        [0, mask.into()]
    };
    // `as` saturates far beyond the 64-bit dtypes.
    (whole as i128).clamp(lowest, highest) as u64 & mask
}

#[test]
fn every_dtype() {
    let all = "f32 f16 bf16 f64 i8 i16 i32 i64 u8 u16 u32 u64";
    assert_dtypes(Standard::OpenVino, all, |dtype| Clamp::openvino(dtype, 0.0, 6.0));
}

#[test]
fn rules() {
    let clamp = Clamp::openvino(DType::F32, -1.0, 1.0).unwrap();
    assert_eq!((clamp.order(), clamp.nan_rule()), (Order::MaxWins, NanRule::Propagate));
    assert_eq!((clamp.scale(), clamp.bias()), (Number::Absent, Number::Absent));
    assert_eq!(reference::element(&clamp, 0xffa0_1234).unwrap(), 0xffa0_1234);
}

#[test]
fn just_above_a_tie_is_no_tie() {
    // By way of f32, or without the low half of the f64, each number would be a tie and round down.
    let above = f64::EPSILON;
    for (dtype, tie, bits) in
        [(DType::F16, 1.0 + 2.0_f64.powi(-11), 0x3c01), (DType::BF16, 1.0 + 2.0_f64.powi(-8), 0x3f81)]
    {
        assert_eq!(both(Clamp::openvino(dtype, tie + above, tie + above)), bits);
    }
}

#[test]
fn min_up_and_max_down_to_integers() {
    for dtype in DType::ALL.into_iter().filter(|dtype| !dtype.is_float()) {
        let mut values = vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN];
        let powers = [7, 8, 15, 16, 31, 32, 53, 63, 64].map(|n| 2.0_f64.powi(n));
        for edge in powers.into_iter().chain([0.0, 1.0, 2.0, 100.0, 255.0]) {
            for value in
                [edge, edge.next_up(), edge.next_down(), edge + 0.5, edge - 0.5, edge + 1.0, edge - 1.0]
            {
                values.extend([value, -value]);
            }
        }
        for value in values {
            let rounded = [value.ceil(), value.floor()].map(|whole| saturated(dtype, whole));
            let clamp = Clamp::openvino(dtype, value, value).unwrap();
            assert_eq!(bounds(&clamp), rounded.into(), "{value:e} as {dtype}");
        }
    }
}

#[test]
fn named_integers() {
    let of = |dtype, min, max| bounds(&Clamp::openvino(dtype, min, max).unwrap());
    assert_eq!(of(DType::I8, -1.5, 1.5), (0xff, 1));
    assert_eq!(of(DType::I8, -0.5, 0.5), (0, 0));
    assert_eq!(of(DType::U8, -0.5, -0.5), (0, 0));
    assert_eq!(of(DType::U8, -3.5, 300.0), (0, 255));
    assert_eq!(of(DType::I64, -9.3e18, 9.3e18), (1 << 63, (1 << 63) - 1));
    // 2^63 itself is beyond I64, and the last f64 below it is 2^63 - 1024.
    assert_eq!(of(DType::I64, 0.0, 9_223_372_036_854_774_784.0), (0, (1 << 63) - 1024));
    assert_eq!(of(DType::U64, 9_223_372_036_854_775_808.0, 1.9e19), (1 << 63, u64::MAX));
}

#[test]
fn bounds_that_only_rounding_crosses_make_everything_max() {
    for dtype in DType::ALL.into_iter().filter(|dtype| !dtype.is_float()) {
        let clamp = Clamp::openvino(dtype, 0.2, 0.8).unwrap();
        assert_eq!(bounds(&clamp), (1, 0));
        assert_eq!([0, 1, 2, 100].map(|x| reference::element(&clamp, x).unwrap()), [0; 4], "{dtype}");
    }
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_signed_integer()) {
        let minus_one = u64::MAX >> (64 - dtype.bits());
        let clamp = Clamp::openvino(dtype, -0.8, -0.2).unwrap();
        assert_eq!(bounds(&clamp), (0, minus_one));
        assert_eq!(
            [0, 1, minus_one, 100].map(|x| reference::element(&clamp, x).unwrap()),
            [minus_one; 4],
            "{dtype}"
        );
    }
    // An unsigned dtype has no -1: both bounds saturate to 0 and are not crossed.
    assert_eq!(bounds(&Clamp::openvino(DType::U32, -0.8, -0.2).unwrap()), (0, 0));
}

#[test]
fn crossed_and_nan_attributes_are_refused() {
    for dtype in DType::ALL {
        // The dtype may round both attributes to one number, but the attributes are compared before rounding.
        for (min, max) in [(2.0, 1.0), (1.0_f64.next_up(), 1.0), (f64::INFINITY, f64::NEG_INFINITY)] {
            let requires = "OpenVINO Clamp-1 requires min <= max (its implementation, not its text)";
            let crossed = format!("min, max: {min:?} is more than {max:?}; {requires}");
            assert_eq!(said(Clamp::openvino(dtype, min, max)), crossed);
        }
        assert!(Clamp::openvino(dtype, 0.0, -0.0).is_ok());
        assert!(Clamp::openvino(dtype, 1.0, 1.0).is_ok());
        let nan = "NaN is no bound of OpenVINO Clamp-1; give a number, or ±infinity for none";
        assert_eq!(said(Clamp::openvino(dtype, f64::NAN, 1.0)), format!("min: {nan}"));
        assert_eq!(said(Clamp::openvino(dtype, 1.0, -f64::NAN)), format!("max: {nan}"));
    }
}
