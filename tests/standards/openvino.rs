//! `OpenVINO` Clamp-1.

use wgpu_clamp::standards::Standard;
use wgpu_clamp::{Clamp, DType, NanRule, Number, Order, reference};

use crate::rounding::{AS_F64, assert_nearest_even};
use crate::{assert_dtypes, both, bounds};

const INTEGERS: [(DType, i128, i128); 8] = [
    (DType::I8, -0x80, 0x7f),
    (DType::I16, -0x8000, 0x7fff),
    (DType::I32, -0x8000_0000, 0x7fff_ffff),
    (DType::I64, -0x8000_0000_0000_0000, 0x7fff_ffff_ffff_ffff),
    (DType::U8, 0, 0xff),
    (DType::U16, 0, 0xffff),
    (DType::U32, 0, 0xffff_ffff),
    (DType::U64, 0, 0xffff_ffff_ffff_ffff),
];

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
    assert_eq!(reference::element(&clamp, 0xffa0_1234), 0xffa0_1234);
}

#[test]
fn to_floats_in_one_rounding() {
    for (dtype, step) in [(DType::F16, 1), (DType::BF16, 1), (DType::F32, 65_537)] {
        assert_nearest_even(dtype, step, &AS_F64, |value| both(Clamp::openvino(dtype, value, value)));
    }
    for value in [0.1, -0.0, 5e-324, -f64::MIN_POSITIVE, f64::MAX, f64::INFINITY] {
        assert_eq!(both(Clamp::openvino(DType::F64, value, value)), value.to_bits());
    }
}

#[test]
fn just_above_a_tie_is_no_tie() {
    // By way of f32, or without the low half of the f64, each number would be a tie and round down.
    let above = f64::EPSILON;
    assert_eq!(
        both(Clamp::openvino(DType::F16, 1.0 + 2.0_f64.powi(-11) + above, 1.0 + 2.0_f64.powi(-11) + above)),
        0x3c01
    );
    assert_eq!(
        both(Clamp::openvino(DType::BF16, 1.0 + 2.0_f64.powi(-8) + above, 1.0 + 2.0_f64.powi(-8) + above)),
        0x3f81
    );
}

/// The floor and the ceiling of a number.
#[expect(clippy::cast_precision_loss, reason = "truncating an f64 leaves a number that is one")]
fn floor_and_ceil(value: f64) -> (i128, i128) {
    let whole = value as i128; // toward zero, saturated far beyond the 64-bit dtypes
    let (less, more) = (value < whole as f64, value > whole as f64);
    (whole.saturating_sub(i128::from(less)), whole.saturating_add(i128::from(more)))
}

#[test]
fn min_up_and_max_down_to_integers() {
    for (dtype, lowest, highest) in INTEGERS {
        let mut values = vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN];
        let powers = [7, 8, 15, 16, 31, 32, 53, 63, 64].map(|n| 2.0_f64.powi(n));
        for edge in powers.into_iter().chain([0.0, 1.0, 2.0, 100.0, 255.0]) {
            for value in
                [edge, edge.next_up(), edge.next_down(), edge + 0.5, edge - 0.5, edge + 1.0, edge - 1.0]
            {
                values.extend([value, -value]);
            }
        }
        let mask = u128::from(u64::MAX >> (64 - dtype.bits()));
        let bits = |value: i128| u64::try_from(value.clamp(lowest, highest).cast_unsigned() & mask).unwrap();
        for value in values {
            let (floor, ceil) = floor_and_ceil(value);
            let clamp = Clamp::openvino(dtype, value, value).unwrap();
            assert_eq!(bounds(&clamp), (bits(ceil), bits(floor)), "{value:e} as {dtype}");
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
        assert_eq!([0, 1, 2, 100].map(|x| reference::element(&clamp, x)), [0; 4], "{dtype}");
    }
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_signed_integer()) {
        let minus_one = u64::MAX >> (64 - dtype.bits());
        let clamp = Clamp::openvino(dtype, -0.8, -0.2).unwrap();
        assert_eq!(bounds(&clamp), (0, minus_one));
        assert_eq!([0, 1, minus_one, 100].map(|x| reference::element(&clamp, x)), [minus_one; 4], "{dtype}");
    }
    // An unsigned dtype has no -1: both bounds saturate to 0 and are not crossed.
    assert_eq!(bounds(&Clamp::openvino(DType::U32, -0.8, -0.2).unwrap()), (0, 0));
}

#[test]
fn crossed_attributes_are_refused() {
    for dtype in DType::ALL {
        // The dtype may round both to one number, but the attributes decide.
        for (min, max) in [(2.0, 1.0), (1.0_f64.next_up(), 1.0), (f64::INFINITY, f64::NEG_INFINITY)] {
            let requires = "OpenVINO Clamp-1 requires min <= max (its implementation, not its text)";
            let crossed = format!("min, max: {min} is more than {max}; {requires}");
            assert_eq!(Clamp::openvino(dtype, min, max).unwrap_err().to_string(), crossed);
        }
        assert!(Clamp::openvino(dtype, 0.0, -0.0).is_ok());
        assert!(Clamp::openvino(dtype, 1.0, 1.0).is_ok());
    }
}

#[test]
fn nan_attributes_are_refused() {
    for dtype in DType::ALL {
        let min = Clamp::openvino(dtype, f64::NAN, 1.0);
        let nan = "NaN is no bound of OpenVINO Clamp-1; give a number, or ±infinity for none";
        assert_eq!(min.unwrap_err().to_string(), format!("min: {nan}"));
        let max = Clamp::openvino(dtype, 1.0, -f64::NAN);
        assert_eq!(max.unwrap_err().to_string(), format!("max: {nan}"));
    }
}
