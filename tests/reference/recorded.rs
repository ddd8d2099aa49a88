//! Conversions that ONNX Runtime computed, described in `tests/data/README.md`.

use std::path::Path;

use serde::Deserialize;
use wgpu_clamp::{Clamp, DType, Precision, Rounding, reference};

use crate::numbers::{infinity, sign_bit};

#[derive(Deserialize)]
struct Record {
    id: String,
    source: String,
    dtype: String,
    /// The divisor of `QuantizeLinear`.
    y_scale: Option<f32>,
    y_zero_point: Option<f32>,
    x_bits: Vec<String>,
    y_bits: Vec<String>,
}

impl Record {
    fn clamp(&self) -> Clamp {
        let named = |name: &str| DType::ALL.into_iter().find(|dtype| dtype.name() == name).unwrap();
        Clamp::unbounded(named(&self.dtype)).with_source(named(&self.source)).unwrap()
    }

    fn elements(&self) -> Vec<(u64, u64)> {
        let bits = |text: &String| u64::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap();
        assert_eq!(self.x_bits.len(), self.y_bits.len(), "{}", self.id);
        self.x_bits.iter().map(bits).zip(self.y_bits.iter().map(bits)).collect()
    }
}

fn records(file: &str) -> Vec<Record> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/conversion").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Counts the equal elements and those that `excepted` accepts. Panics with all others.
fn assert_equal(
    clamps: impl Iterator<Item = (Clamp, Record)>,
    excepted: impl Fn(&Clamp, u64, [u64; 2]) -> bool,
) -> [usize; 2] {
    let (mut equal, mut exceptions, mut wrong) = (0, 0, Vec::new());
    for (clamp, record) in clamps {
        for (x, expected) in record.elements() {
            match reference::element(&clamp, x) {
                got if got == expected => equal += 1,
                got if excepted(&clamp, x, [got, expected]) => exceptions += 1,
                got => wrong.push(format!("{}: {x:#x} became {got:#x}, not {expected:#x}", record.id)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    [equal, exceptions]
}

/// Whether both results are NaNs of one sign, in a conversion of a NaN to or from BF16. ONNX Runtime drops NaN
/// payloads to BF16 and from BF16 to F16, and keeps a NaN signalling from BF16 to F32.
fn is_payload_by_bf16(clamp: &Clamp, x: u64, results: [u64; 2]) -> bool {
    let [source, dtype] = [clamp.source(), clamp.dtype()];
    let is_nan = |dtype, bits| bits & !sign_bit(dtype) > infinity(dtype);
    let [got, expected] = results.map(|bits| (bits & sign_bit(dtype), is_nan(dtype, bits)));
    let by_bf16 = source.is_float() && dtype.is_float() && [source, dtype].contains(&DType::BF16);
    by_bf16 && is_nan(source, x) && got == expected && got.1
}

/// All elements round to values that the destination has: ONNX Runtime wraps integers beyond its range.
#[test]
fn casts_of_onnx_runtime() {
    let records = records("onnxruntime-1.31.1_cast.jsonl");
    assert_eq!(records.len(), 42, "each pair of two different dtypes");
    let clamps = records.into_iter().map(|record| (record.clamp(), record));
    assert_eq!(assert_equal(clamps, is_payload_by_bf16), [6_562, 21]);
}

/// `QuantizeLinear` divides by a power of two, rounds and adds an even zero point. That is the affine step, rounded
/// to nearest.
#[test]
fn quantize_linear_of_onnx_runtime() {
    let records = records("onnxruntime-1.31.1_quantizelinear.jsonl");
    let clamps = records.into_iter().map(|record| {
        let (scale, zero_point) = (record.y_scale.unwrap(), record.y_zero_point.unwrap());
        let clamp = record.clamp().with_affine(1.0 / scale, zero_point).unwrap();
        (clamp.with_precision(Precision::Exact).with_rounding(Rounding::NearestEven), record)
    });
    assert_eq!(assert_equal(clamps, |_, _, _| false), [6_376, 0]);
}
