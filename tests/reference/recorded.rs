//! Conversions that ONNX Runtime computed, described in `tests/data/README.md`.

use std::path::Path;

use serde_json::Value;
use wgpu_clamp::{Clamp, DType, reference};

use crate::inputs::converting;
use crate::numbers::{infinity, sign_bit};

fn records(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/conversion").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The conversion of a record's dtypes.
fn conversion(record: &Value) -> Clamp {
    let [source, dtype] = ["source", "dtype"].map(|key| record[key].as_str().unwrap().parse().unwrap());
    converting(source, dtype)
}

/// Counts the equal elements and those that `excepted` accepts. Panics with all others.
fn assert_equal(
    records: &[Value],
    clamp: impl Fn(&Value) -> Clamp,
    excepted: impl Fn(&Clamp, u64, [u64; 2]) -> bool,
) -> [usize; 2] {
    let (mut equal, mut exceptions, mut wrong) = (0, 0, Vec::new());
    for record in records {
        let clamp = clamp(record);
        let bits = |text: &Value| u64::from_str_radix(&text.as_str().unwrap()[2..], 16).unwrap();
        let [xs, ys] = ["x_bits", "y_bits"].map(|key| record[key].as_array().unwrap());
        assert_eq!(xs.len(), ys.len(), "{}", record["id"]);
        for (x, expected) in xs.iter().map(bits).zip(ys.iter().map(bits)) {
            match reference::element(&clamp, x).unwrap() {
                got if got == expected => equal += 1,
                got if excepted(&clamp, x, [got, expected]) => exceptions += 1,
                got => wrong.push(format!("{}: {x:#x} became {got:#x}, not {expected:#x}", record["id"])),
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

/// All recorded elements round to values in the destination's range, because ONNX Runtime wraps integers beyond it.
#[test]
fn casts_of_onnx_runtime() {
    let records = records("onnxruntime-1.31.1_cast.jsonl");
    assert_eq!(records.len(), 42, "each pair of two different dtypes");
    assert_eq!(assert_equal(&records, conversion, is_payload_by_bf16), [6_562, 21]);
}
