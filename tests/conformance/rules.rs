//! The rules of the three recorded standards, stated again without the constructors under test.

use clamp_testing::values::scalar;
use half::f16;
use wgpu_clamp::standards::Standard;
use wgpu_clamp::standards::onnx::{self, Bounds};
use wgpu_clamp::{Clamp, DType, Element, Error, NanRule, Number, Order, Scalar};

use crate::golden::Record;

/// Whether the bounds are inputs, which may lie on the GPU.
pub fn has_inputs(record: &Record) -> bool {
    matches!(record.standard, Standard::Onnx { opset: 11.. })
}

/// Whether the constructor's signature allows the call: `OpenVINO` and `oneDNN` require both bounds.
pub fn is_a_call(record: &Record) -> bool {
    matches!(record.standard, Standard::Onnx { .. }) || record.min.is_some() && record.max.is_some()
}

/// The start of the error's message, if the standard rejects the record.
pub fn refusal(record: &Record) -> Option<String> {
    let Record { standard, dtype, .. } = record;
    let has_dtype = match standard {
        Standard::Onnx { opset: ..12 } => dtype.is_float() && *dtype != DType::BF16,
        Standard::Onnx { opset: 12 } => *dtype != DType::BF16,
        Standard::OneDnn => matches!(dtype, DType::F32 | DType::F16 | DType::BF16),
        _ => true,
    };
    if !has_dtype {
        return Some(format!("dtype: {dtype} is not in {standard};"));
    }
    if matches!(standard, Standard::Onnx { .. }) {
        return None;
    }
    match [attribute(record, record.min)?, attribute(record, record.max)?] {
        [min, _] if min.is_nan() => Some("min: NaN is no bound".to_owned()),
        [_, max] if max.is_nan() => Some("max: NaN is no bound".to_owned()),
        [min, max] if min > max => {
            // The digits are those of the attributes' own type.
            let [min, max] = [record.min?, record.max?].map(|bits| scalar(record.bound_dtype, bits));
            Some(format!("min, max: {min} is more than {max};"))
        }
        _ => None,
    }
}

/// The value of an attribute, which is f32 or f64.
fn attribute(record: &Record, bits: Option<u64>) -> Option<f64> {
    bits.map(|bits| match record.bound_dtype {
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::F64 => f64::from_bits(bits),
        other => panic!("no standard has attributes of {other}"),
    })
}

/// Calls the constructor under test with the record's arguments. `on_gpu`: whether inputs lie on the GPU.
pub fn construct(record: &Record, on_gpu: bool) -> Result<Clamp, Error> {
    let Record { dtype, min, max, .. } = *record;
    let given = |bits| attribute(record, bits).expect("a required attribute");
    // An f32 widened to f64 narrows to the same f32.
    let optional = |bits| attribute(record, bits).map(|value| value as f32);
    let input = |bits: Option<u64>| match bits {
        None => Number::Absent,
        Some(_) if on_gpu => Number::OnGpu,
        Some(bits) => Scalar::from_bits(dtype, bits).expect("an element").into(),
    };
    match record.standard {
        Standard::Onnx { opset } if has_inputs(record) => {
            Clamp::onnx(opset, dtype, Bounds::Inputs { min: input(min), max: input(max) })
        }
        Standard::Onnx { opset } => {
            Clamp::onnx(opset, dtype, Bounds::Attributes { min: optional(min), max: optional(max) })
        }
        Standard::OpenVino => Clamp::openvino(dtype, given(min), given(max)),
        Standard::OneDnn => Clamp::onednn(dtype, given(min) as f32, given(max) as f32),
        other => panic!("no records of {other}"),
    }
}

/// The clamp that the standard states for a record without an output of its runtime.
///
/// Takes only bounds that such records have: bounds of the dtype, and f32 that become F16 or are exact in BF16.
pub fn stated(record: &Record) -> Clamp {
    let Record { id, standard, dtype, bound_dtype, .. } = record;
    let bound = |bits: Option<u64>, absent: f32| -> Number {
        let bits = bits.unwrap_or_else(|| {
            assert!(matches!(standard, Standard::Onnx { opset: ..11 }), "{id}: no bound");
            absent.to_bits64()
        });
        let value = |bits| Scalar::from_bits(*dtype, bits).expect("an element").into();
        match (bound_dtype, dtype) {
            (from, to) if from == to => value(bits),
            (DType::F32, DType::F16) => f16::from_f32(f32::from_bits(bits as u32)).into(),
            (DType::F32, DType::BF16) if bits.trailing_zeros() >= 16 => value(bits >> 16),
            (from, to) => panic!("{id}: bounds of {from} for {to}"),
        }
    };
    let (min, max) = (bound(record.min, f32::MIN), bound(record.max, f32::MAX));
    let rule = if *standard == Standard::OneDnn { NanRule::ToMin } else { NanRule::Propagate };
    let clamp = Clamp::unbounded(*dtype).with_bounds(min, max).expect("bounds of the dtype");
    clamp.with_order(Order::MaxWins).with_nan_rule(rule)
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
