//! The calls that the records stand for.

use wgpu_clamp::standards::Standard;
use wgpu_clamp::standards::onnx::{self, Bounds};
use wgpu_clamp::{Clamp, DType, Error, Number, Scalar};

use crate::golden::Record;

/// The value of an attribute, which is f32 or f64.
fn attribute(record: &Record, bits: Option<u64>) -> Option<f64> {
    bits.map(|bits| match record.bound_dtype {
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::F64 => f64::from_bits(bits),
        other => panic!("no standard has attributes of {other}"),
    })
}

/// Calls the constructor under test with the record's arguments; `None` if its signature allows no such call, because
/// `OpenVINO` and `oneDNN` require both bounds.
pub fn construct(record: &Record) -> Option<Result<Clamp, Error>> {
    let Record { dtype, min, max, .. } = *record;
    if !matches!(record.standard, Standard::Onnx { .. }) && (min.is_none() || max.is_none()) {
        return None;
    }
    let given = |bits| attribute(record, bits).expect("a required attribute");
    // An f32 widened to f64 narrows to the same f32.
    let optional = |bits| attribute(record, bits).map(|value| value as f32);
    let input = |bits: Option<u64>| match bits {
        None => Number::Absent,
        Some(bits) => Scalar::from_bits(dtype, bits).expect("an element").into(),
    };
    Some(match record.standard {
        Standard::Onnx { opset: opset @ 11.. } => {
            Clamp::onnx(opset, dtype, Bounds::Inputs { min: input(min), max: input(max) })
        }
        Standard::Onnx { opset } => {
            Clamp::onnx(opset, dtype, Bounds::Attributes { min: optional(min), max: optional(max) })
        }
        Standard::OpenVino => Clamp::openvino(dtype, given(min), given(max)),
        Standard::OneDnn => Clamp::onednn(dtype, given(min) as f32, given(max) as f32),
        other => panic!("no records of {other}"),
    })
}

/// "ONNX Clip" and "13", for example.
pub fn name_and_version(standard: Standard) -> (&'static str, u32) {
    match standard {
        Standard::Onnx { opset } => ("ONNX Clip", onnx::version(opset).expect("an opset that exists")),
        Standard::OpenVino => ("OpenVINO Clamp", 1),
        Standard::OneDnn => ("oneDNN Graph Clamp", 1),
        other => panic!("no records of {other}"),
    }
}
