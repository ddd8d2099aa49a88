//! ONNX Clip, versions 1, 6, 11, 12 and 13.

use wgpu_clamp::standards::{Standard, onnx};
use wgpu_clamp::{Clamp, DType, Element, NanRule, Number, Order, Scalar, reference};

use crate::{assert_dtypes, bounds, said};

const ABSENT: onnx::Bounds = onnx::Bounds::Inputs { min: Number::Absent, max: Number::Absent };

/// The bounds of a node that gives none, in the form of its opset.
fn none(opset: u32) -> onnx::Bounds {
    if opset < 11 { onnx::Bounds::Attributes { min: None, max: None } } else { ABSENT }
}

fn attributes(min: f32, max: f32) -> onnx::Bounds {
    onnx::Bounds::Attributes { min: Some(min), max: Some(max) }
}

fn inputs<T: Element>(min: T, max: T) -> onnx::Bounds {
    onnx::Bounds::Inputs { min: min.into(), max: max.into() }
}

#[test]
fn versions() {
    let versions: Vec<u32> = (1..=15).map(|opset| onnx::version(opset).unwrap()).collect();
    assert_eq!(versions, [1, 1, 1, 1, 1, 6, 6, 6, 6, 6, 11, 12, 13, 13, 13]);
    assert_eq!(onnx::version(u32::MAX), Ok(13));
    let refused = "opset: 0 is no version; versions of the ONNX operator set begin at 1";
    assert_eq!(said(onnx::version(0)), refused);
    assert_eq!(said(onnx::dtypes(0)), refused);
    assert_eq!(said(Clamp::onnx(0, DType::F32, ABSENT)), refused);
}

#[test]
fn dtypes_by_opset() {
    for opset in (1..=26).chain([1000, u32::MAX]) {
        let accepted = match opset {
            1..=11 => "f32 f16 f64",
            12 => "f32 f16 f64 i8 i16 i32 i64 u8 u16 u32 u64",
            _ => "f32 f16 bf16 f64 i8 i16 i32 i64 u8 u16 u32 u64",
        };
        assert_dtypes(Standard::Onnx { opset }, accepted, |dtype| Clamp::onnx(opset, dtype, none(opset)));
    }
}

#[test]
fn attributes_until_10_and_inputs_from_11_on() {
    for opset in 1..=20 {
        let standard = Standard::Onnx { opset };
        let (right, wrong, given) = if opset < 11 {
            (attributes(0.0, 6.0), inputs(0.0_f32, 6.0), "inputs")
        } else {
            (inputs(0.0_f32, 6.0), attributes(0.0, 6.0), "attributes")
        };
        assert_eq!(bounds(&Clamp::onnx(opset, DType::F32, right).unwrap()), (0, 6.0_f32.to_bits64()));
        let refused = format!(
            "bounds: {standard} takes no {given}; opsets 1 to 10 take attributes, 11 and later take inputs"
        );
        assert_eq!(said(Clamp::onnx(opset, DType::F32, wrong)), refused);
    }
}

#[test]
fn rules() {
    for opset in [1, 6, 11, 12, 13] {
        let clamp = Clamp::onnx(opset, DType::F32, none(opset)).unwrap();
        assert_eq!((clamp.order(), clamp.nan_rule()), (Order::MaxWins, NanRule::Propagate));
        assert_eq!((clamp.scale(), clamp.bias()), (Number::Absent, Number::Absent));
        assert_eq!(reference::element(&clamp, 0x7fa0_1234).unwrap(), 0x7fa0_1234);
    }
}

#[test]
fn absent_attributes_are_the_largest_f32() {
    for opset in 1..=10 {
        let of = |dtype| bounds(&Clamp::onnx(opset, dtype, none(opset)).unwrap());
        assert_eq!(of(DType::F32), (0xff7f_ffff, 0x7f7f_ffff));
        assert_eq!(of(DType::F16), (0xfc00, 0x7c00));
        let widened = 3.402_823_466_385_288_6e38_f64;
        assert_eq!(of(DType::F64), ((-widened).to_bits(), widened.to_bits()));
        // Only one of the two is given.
        for (min, max, expected) in [(None, Some(1.0), (0xfc00, 0x3c00)), (Some(1.0), None, (0x3c00, 0x7c00))]
        {
            let one = Clamp::onnx(opset, DType::F16, onnx::Bounds::Attributes { min, max });
            assert_eq!(bounds(&one.unwrap()), expected);
        }
    }
}

#[test]
fn absent_inputs_are_the_ends_of_the_dtype() {
    let ends = [
        (DType::F32, 0xff7f_ffff, 0x7f7f_ffff),
        (DType::F16, 0xfbff, 0x7bff),
        (DType::BF16, 0xff7f, 0x7f7f),
        (DType::F64, 0xffef_ffff_ffff_ffff, 0x7fef_ffff_ffff_ffff),
        (DType::I8, 0x80, 0x7f),
        (DType::I16, 0x8000, 0x7fff),
        (DType::I32, 0x8000_0000, 0x7fff_ffff),
        (DType::I64, 0x8000_0000_0000_0000, 0x7fff_ffff_ffff_ffff),
        (DType::U8, 0, 0xff),
        (DType::U16, 0, 0xffff),
        (DType::U32, 0, 0xffff_ffff),
        (DType::U64, 0, u64::MAX),
    ];
    for (dtype, lowest, highest) in ends {
        let of = |min, max| bounds(&Clamp::onnx(13, dtype, onnx::Bounds::Inputs { min, max }).unwrap());
        let one: Number = Scalar::from_bits(dtype, 1).unwrap().into();
        assert_eq!(of(Number::Absent, Number::Absent), (lowest, highest));
        assert_eq!(of(Number::Absent, one), (lowest, 1));
        assert_eq!(of(one, Number::Absent), (1, highest));
    }
    // Infinity becomes the largest finite number.
    let clamp = Clamp::onnx(11, DType::F32, ABSENT).unwrap();
    assert_eq!(reference::element(&clamp, f32::INFINITY.to_bits64()).unwrap(), f32::MAX.to_bits64());
}

#[test]
fn inputs_on_the_gpu_stay_there() {
    let mixed = onnx::Bounds::Inputs { min: Number::OnGpu, max: Number::Absent };
    let clamp = Clamp::onnx(13, DType::U8, mixed).unwrap();
    assert_eq!((clamp.min(), clamp.max()), (Number::OnGpu, 255_u8.into()));
    let both = onnx::Bounds::Inputs { min: Number::OnGpu, max: Number::OnGpu };
    let clamp = Clamp::onnx(11, DType::F64, both).unwrap();
    assert_eq!((clamp.min(), clamp.max(), clamp.order()), (Number::OnGpu, Number::OnGpu, Order::MaxWins));
}

#[test]
fn inputs_are_elements() {
    let wide = onnx::Bounds::Inputs { min: 256_u16.into(), max: Number::Absent };
    assert_eq!(
        said(Clamp::onnx(12, DType::U8, wide)),
        "min: u16 is not the dtype of the clamp, u8; give a value of dtype u8 (literals without a suffix are f64 and i32)"
    );
    let exact = Clamp::onnx(12, DType::I64, inputs(9_007_199_254_740_993_i64, i64::MAX)).unwrap();
    assert_eq!(bounds(&exact), (9_007_199_254_740_993, i64::MAX.to_bits64()));
}

#[test]
fn crossed_bounds_make_everything_max() {
    let clamps = [
        Clamp::onnx(1, DType::F32, attributes(2.0, 1.0)),
        Clamp::onnx(6, DType::F32, attributes(2.0, 1.0)),
        Clamp::onnx(11, DType::F32, inputs(2.0_f32, 1.0)),
        Clamp::onnx(13, DType::F32, inputs(2.0_f32, 1.0)),
    ];
    for clamp in clamps.map(Result::unwrap) {
        for x in [-9.0_f32, 1.0, 1.5, 2.0, 9.0, f32::INFINITY] {
            assert_eq!(reference::element(&clamp, x.to_bits64()).unwrap(), 1.0_f32.to_bits64());
        }
    }
}

#[test]
fn nan_bounds_are_ignored() {
    let nan = f32::NAN;
    let clamps = [
        Clamp::onnx(6, DType::F32, attributes(nan, 1.0)),
        Clamp::onnx(1, DType::F64, attributes(nan, 1.0)),
        Clamp::onnx(6, DType::F16, attributes(nan, 1.0)),
        Clamp::onnx(11, DType::F32, inputs(nan, 1.0)),
    ];
    for clamp in clamps.map(Result::unwrap) {
        let (lowest, one) = match clamp.dtype() {
            DType::F16 => (0xfc00, 0x3c00),
            DType::F64 => (f64::NEG_INFINITY.to_bits(), 1.0_f64.to_bits()),
            _ => (f32::NEG_INFINITY.to_bits64(), 1.0_f32.to_bits64()),
        };
        assert_eq!(reference::element(&clamp, lowest).unwrap(), lowest, "{clamp:?}");
        assert_eq!(
            reference::element(&clamp, lowest ^ 1 << (clamp.dtype().bits() - 1)).unwrap(),
            one,
            "{clamp:?}"
        );
    }
    // The bits of an input are kept as they came.
    let signalling = onnx::Bounds::Inputs {
        min: Number::Absent,
        max: Scalar::from_bits(DType::F32, 0x7f80_0001).unwrap().into(),
    };
    assert_eq!(Clamp::onnx(13, DType::F32, signalling).unwrap().max().value().unwrap().bits(), 0x7f80_0001);
}
