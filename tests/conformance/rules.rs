//! The rules of the three recorded standards, stated again without the constructors under test.

use half::f16;
use wgpu_clamp::standards::Standard;
use wgpu_clamp::standards::onnx::{self, Bounds};
use wgpu_clamp::{Clamp, DType, Element, Error, NanRule, Number, Order, Scalar};

use crate::golden::Record;

/// Why a standard rejects a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    DType,
    /// A required bound is missing; the constructor's signature does not allow that call.
    Absent,
    Nan,
    Crossed,
}

impl Refusal {
    pub fn of(record: &Record) -> Option<Self> {
        use DType::{BF16, F16, F32};
        let float = record.dtype.is_float();
        let (has_dtype, has_attributes) = match record.standard {
            Standard::Onnx { opset: ..12 } => (float && record.dtype != BF16, false),
            Standard::Onnx { opset: 12 } => (record.dtype != BF16, false),
            Standard::Onnx { .. } => (true, false),
            Standard::OpenVino => (true, true),
            Standard::OneDnn => (matches!(record.dtype, F32 | F16 | BF16), true),
            other => panic!("no records of {other}"),
        };
        if !has_dtype {
            return Some(Self::DType);
        }
        if !has_attributes {
            return None;
        }
        let (Some(min), Some(max)) = (record.min, record.max) else {
            return Some(Self::Absent);
        };
        let (min, max) = (number(record.bound_dtype, min), number(record.bound_dtype, max));
        if min.is_nan() || max.is_nan() {
            Some(Self::Nan)
        } else if min > max {
            Some(Self::Crossed)
        } else {
            None
        }
    }

    /// Whether the error gives this reason for the record.
    pub fn is_said_by(self, error: &Error, record: &Record) -> bool {
        let nan = |bits: Option<u64>| bits.is_some_and(|bits| number(record.bound_dtype, bits).is_nan());
        let Error::Standard { standard, refusal } = error else { return false };
        if *standard != record.standard {
            return false;
        }
        match (self, refusal.argument) {
            (Self::DType, "dtype") => refusal.value == format!("{} is not in {standard}", record.dtype),
            (Self::Nan, "min") => nan(record.min),
            (Self::Nan, "max") => nan(record.max),
            (Self::Crossed, "min, max") => {
                let [min, max] =
                    [record.min, record.max].map(|bits| number(record.bound_dtype, bits.unwrap()));
                refusal.value == format!("{min} is more than {max}")
            }
            _ => false,
        }
    }
}

/// The value of an attribute, which is f32 or f64.
fn number(dtype: DType, bits: u64) -> f64 {
    match dtype {
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::F64 => f64::from_bits(bits),
        other => panic!("no standard has attributes of {other}"),
    }
}

/// Whether the bounds are inputs, which may lie on the GPU.
pub fn has_inputs(record: &Record) -> bool {
    matches!(record.standard, Standard::Onnx { opset: 11.. })
}

/// Calls the constructor under test with the record's arguments. `on_gpu`: whether inputs lie on the GPU.
pub fn construct(record: &Record, on_gpu: bool) -> Result<Clamp, Error> {
    let (dtype, min, max) = (record.dtype, record.min, record.max);
    let given = |bits: Option<u64>| number(record.bound_dtype, bits.expect("required attribute"));
    let input = |bits: Option<u64>| match bits {
        None => Number::Absent,
        Some(_) if on_gpu => Number::OnGpu,
        Some(bits) => Scalar::from_bits(dtype, bits).expect("an element").into(),
    };
    match record.standard {
        Standard::Onnx { opset } => {
            let bounds = if has_inputs(record) {
                Bounds::Inputs { min: input(min), max: input(max) }
            } else {
                // Widening and narrowing an f32 gives it back.
                let attribute = |bits: Option<u64>| bits.map(|_| given(bits) as f32);
                Bounds::Attributes { min: attribute(min), max: attribute(max) }
            };
            Clamp::onnx(opset, dtype, bounds)
        }
        Standard::OpenVino => Clamp::openvino(dtype, given(min), given(max)),
        Standard::OneDnn => Clamp::onednn(dtype, given(min) as f32, given(max) as f32),
        other => panic!("no records of {other}"),
    }
}

/// The clamp, by the standard, of a record that its runtime did not compute.
///
/// Takes only the bounds of such records: bounds of the dtype, and f32 that become F16 or are exact in BF16.
pub fn stated(record: &Record) -> Clamp {
    let absent = |value: f32| match record.standard {
        Standard::Onnx { opset: ..11 } => value.to_bits64(),
        other => panic!("{}: no bound for {other}", record.id),
    };
    let value = |bits| Scalar::from_bits(record.dtype, bits).expect("an element").into();
    let bound = |bits: Option<u64>, default| -> Number {
        match (record.bound_dtype, record.dtype) {
            (from, to) if from == to => value(bits.unwrap_or_else(|| absent(default))),
            (DType::F32, DType::F16) => {
                let value = f32::from_bits(bits.unwrap_or_else(|| absent(default)) as u32);
                f16::from_f32(value).into()
            }
            (DType::F32, DType::BF16) if bits.is_some_and(|bits| bits.trailing_zeros() >= 16) => {
                value(bits.unwrap_or_default() >> 16)
            }
            (from, to) => panic!("{}: bounds of {from} for {to}", record.id),
        }
    };
    let (min, max) = (bound(record.min, f32::MIN), bound(record.max, f32::MAX));
    let rule = if record.standard == Standard::OneDnn { NanRule::ToMin } else { NanRule::Propagate };
    let clamp = Clamp::unbounded(record.dtype).with_bounds(min, max).expect("bounds of the dtype");
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
