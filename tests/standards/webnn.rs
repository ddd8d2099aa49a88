//! `WebNN` clamp.

use wgpu_clamp::standards::Standard;
use wgpu_clamp::standards::webnn::MlNumber;
use wgpu_clamp::{Clamp, DType, Error, NanRule, Number, Order, reference};

use crate::{assert_dtypes, both};

fn one(dtype: DType, number: impl Into<MlNumber>) -> u64 {
    let number = number.into();
    both(Clamp::webnn(dtype, Some(number), Some(number)))
}

#[test]
fn every_operand_data_type() {
    let all = "f32 f16 i32 u32 i64 u64 i8 u8";
    assert_dtypes(Standard::WebNn, all, |dtype| Clamp::webnn(dtype, Some(0.0.into()), Some(6.0.into())));
}

#[test]
fn rules() {
    let clamp = Clamp::webnn(DType::F32, None, Some(1.0.into())).unwrap();
    assert_eq!((clamp.min(), clamp.order()), (Number::Absent, Order::MaxWins));
    assert_eq!((clamp.nan_rule(), clamp.scale()), (NanRule::Propagate, Number::Absent));
    assert_eq!(reference::element(&clamp, 0xffa0_1234).unwrap(), 0xffa0_1234);
    let nothing = Clamp::webnn(DType::I64, None, None).unwrap();
    assert_eq!((nothing.min(), nothing.max()), (Number::Absent, Number::Absent));
}

#[test]
fn doubles_to_halves() {
    for (number, bits) in [(f64::INFINITY, 0x7c00), (65_519.9, 0x7bff), (65_520.0, 0x7c00), (-1e-9, 0x8000)] {
        assert_eq!(one(DType::F16, number), bits, "{number}");
    }
}

#[test]
fn integers_to_floats_in_one_rounding() {
    // A tie of f32, and the next integer, which f64 rounds to the tie.
    let tie = (1_i128 << 60) + (1 << 36);
    assert_eq!(one(DType::F32, tie), u64::from(2.0_f32.powi(60).to_bits()));
    assert_eq!(one(DType::F32, tie + 1), u64::from(2.0_f32.powi(60).to_bits()) + 1);
    for (number, bits) in
        [(2049, 0x6800), (2051, 0x6802), (65_519, 0x7bff), (-65_520, 0xfc00), (i64::MIN, 0xfc00)]
    {
        assert_eq!(one(DType::F16, number), bits, "{number}");
    }
}

#[test]
fn to_integers_to_nearest_even_and_saturated() {
    let signed = |value: i64| value.cast_unsigned();
    for (dtype, number, bits) in [
        (DType::I8, 0.5, 0),
        (DType::I8, 1.5, 2),
        (DType::I8, -2.5, 0xfe),
        (DType::I8, 126.5, 126),
        (DType::I8, 127.5, 127),
        (DType::I8, f64::NEG_INFINITY, 0x80),
        (DType::I8, f64::NAN, 0),
        (DType::U8, -0.6, 0),
        (DType::U8, 255.5, 255),
        (DType::U32, 4_294_967_295.0, 0xffff_ffff),
        (DType::U32, 3e9, 3_000_000_000),
        (DType::I32, 3e9, 0x7fff_ffff),
        (DType::U64, f64::INFINITY, u64::MAX),
        (DType::I64, -1e300, signed(i64::MIN)),
    ] {
        assert_eq!(one(dtype, number), bits, "{number} as {dtype}");
    }
    for (dtype, number, bits) in [
        (DType::U64, (1_i128 << 53) + 1, (1 << 53) + 1),
        (DType::U64, i128::MAX, u64::MAX),
        (DType::I64, i128::from(i64::MIN) - 1, signed(i64::MIN)),
        (DType::I64, i128::from(i64::MAX) + 1, signed(i64::MAX)),
        (DType::I8, -129, 0x80),
        (DType::I8, 128, 0x7f),
        (DType::I32, 1 << 31, 0x7fff_ffff),
        (DType::U8, -1, 0),
        (DType::U8, 256, 0xff),
    ] {
        assert_eq!(one(dtype, number), bits, "{number} as {dtype}");
    }
}

#[test]
fn what_crosses_after_the_casts_is_refused() {
    let make = |dtype, min: f64, max: f64| Clamp::webnn(dtype, Some(min.into()), Some(max.into()));
    for (dtype, min, max) in [
        (DType::F32, 1.0, 0.5),
        (DType::I8, 0.6, 0.4),
        (DType::F16, f64::INFINITY, f64::NEG_INFINITY),
        (DType::I8, f64::NAN, -1.0),
    ] {
        let error = make(dtype, min, max).unwrap_err();
        assert!(matches!(error, Error::Standard { standard: Standard::WebNn, .. }), "{error:?}");
        assert!(error.to_string().ends_with("; WebNN clamp requires min <= max"), "{error}");
    }
    for (dtype, min, max) in [
        // Equal after the cast, or a float NaN.
        (DType::I8, 0.4, 0.2),
        (DType::U8, 300.0, 256.0),
        (DType::F16, 70_000.0, 66_000.0),
        (DType::F32, 0.0, -0.0),
        (DType::F32, f64::NAN, -1.0),
        (DType::F32, 1.0, f64::NAN),
    ] {
        assert!(make(dtype, min, max).is_ok(), "{min} and {max} as {dtype}");
    }
    let (min, max) = (u64::MAX.into(), (u64::MAX - 1).into());
    assert!(Clamp::webnn(DType::U64, Some(min), Some(max)).is_err());
    assert!(Clamp::webnn(DType::U64, Some(max), Some(min)).is_ok());
}
