//! Compares the constructors of the five standards with their texts: dtypes, conversions of bounds, rejections. None
//! of this needs a GPU.

mod directml;
mod onednn;
mod onnx;
mod openvino;
mod rounding;
mod webnn;

use std::collections::BTreeSet;

use wgpu_clamp::standards::Standard;
use wgpu_clamp::standards::directml::FeatureLevel;
use wgpu_clamp::standards::onnx::Bounds;
use wgpu_clamp::{Clamp, DType, Error, Number};

/// The bits of min and max, which must be values.
fn bounds(clamp: &Clamp) -> (u64, u64) {
    let bits = |bound: Number| bound.value().unwrap_or_else(|| panic!("{clamp}")).bits();
    (bits(clamp.min()), bits(clamp.max()))
}

/// The bits of min and max, which must be equal.
fn both(clamp: Result<Clamp, Error>) -> u64 {
    let (min, max) = bounds(&clamp.unwrap());
    assert_eq!(min, max);
    min
}

/// Asserts that `construct` takes exactly the dtypes in `accepted`, and refuses the others in the name of
/// `standard`.
fn assert_dtypes(standard: Standard, accepted: &str, construct: impl Fn(DType) -> Result<Clamp, Error>) {
    let accepted: BTreeSet<&str> = accepted.split(' ').collect();
    for dtype in DType::ALL {
        match construct(dtype) {
            Ok(clamp) => assert!(accepted.contains(dtype.name()) && clamp.dtype() == dtype, "{clamp}"),
            Err(Error::Standard { standard: by, refusal }) => {
                assert!(!accepted.contains(dtype.name()), "{refusal}");
                assert_eq!((by, refusal.argument), (standard, "dtype"));
                assert!(refusal.value.starts_with(&format!("{dtype} ")), "{refusal}");
                let takes = refusal.remedy.strip_prefix("it takes ").unwrap();
                let allowed: BTreeSet<_> = takes.split("; ").next().unwrap().split(", ").collect();
                assert_eq!(allowed, accepted);
            }
            other => panic!("{standard} of {dtype}: {other:?}"),
        }
    }
}

/// Each rejection says what was refused, by which standard and version, and what would be right.
#[test]
fn messages() {
    let inputs = Bounds::Inputs { min: Number::Absent, max: Number::Absent };
    let attributes = Bounds::Attributes { min: None, max: None };
    for (clamp, message) in [
        (
            Clamp::onnx(11, DType::BF16, inputs),
            "dtype: bf16 is not in ONNX Clip-11 (opset 11); it takes f32, f16, f64; bf16 comes with opset 13",
        ),
        (
            Clamp::onnx(9, DType::I8, attributes),
            "dtype: i8 is not in ONNX Clip-6 (opset 9); it takes f32, f16, f64; i8 comes with opset 12",
        ),
        (
            Clamp::onnx(3, DType::F32, inputs),
            "bounds: ONNX Clip-1 (opset 3) takes no inputs; opsets 1 to 10 take attributes, 11 and later take inputs",
        ),
        (
            Clamp::onednn(DType::F64, 0.0, 1.0),
            "dtype: f64 is not in oneDNN Graph Clamp; it takes f32, f16, bf16",
        ),
        (
            Clamp::directml(DType::I64, 0.0, 1.0, None, FeatureLevel::V2_1),
            "dtype: i64 is not in DirectML CLIP at feature level 2.1; it takes f32, f16, i8, i16, i32, u8, u16, u32; \
             i64 comes with feature level 5.0",
        ),
        (
            Clamp::directml(DType::BF16, 0.0, 1.0, None, FeatureLevel::V1_0),
            "dtype: bf16 is not in DirectML CLIP at feature level 1.0; it takes f32, f16",
        ),
        (
            Clamp::webnn(DType::U8, Some(2.5.into()), Some(1.0.into())),
            "min, max: 2.5 is more than 1; WebNN clamp requires min <= max",
        ),
    ] {
        assert_eq!(said(clamp), message);
    }
}

/// The message of a refusal.
fn said<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}
