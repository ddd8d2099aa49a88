//! The recorded outputs: files of one JSON object per line, described in `tests/data/README.md`.

use std::path::PathBuf;

use serde_json::Value;
use wgpu_clamp::DType;
use wgpu_clamp::standards::Standard;

/// One case of another implementation. Bits are zero-extended to 64.
#[derive(Clone, Debug)]
pub struct Record {
    pub file: &'static str,
    /// The implementation, with its version.
    pub held_to: &'static str,
    pub id: String,
    pub standard: Standard,
    pub dtype: DType,
    pub shape: Vec<usize>,
    pub min: Option<u64>,
    pub max: Option<u64>,
    /// The dtype of the bounds' bits.
    pub bound_dtype: DType,
    pub x: Vec<u64>,
    /// The output, unless the runtime gave an error.
    pub y: Option<Vec<u64>>,
    /// Indices of elements of `y` that are wrong by the operator's own definition.
    pub deviates: Vec<usize>,
}

/// Files, and who computed their outputs.
const FILES: [(&str, &str); 7] = [
    ("onnx-1.22.0_node-tests.jsonl", "node tests of onnx 1.22.0"),
    ("onnxruntime-1.31.1_clip6.jsonl", "ONNX Runtime 1.31.1"),
    ("onnxruntime-1.31.1_clip11.jsonl", "ONNX Runtime 1.31.1"),
    ("onnxruntime-1.31.1_clip11-13.jsonl", "ONNX Runtime 1.31.1"),
    ("openvino-reference-2026.4.1_clamp1-float.jsonl", "OpenVINO reference 2026.4.1"),
    ("openvino-reference-2026.4.1_clamp1-int.jsonl", "OpenVINO reference 2026.4.1"),
    ("onednn-graph-3.9.1_clamp.jsonl", "oneDNN Graph 3.9.1"),
];

pub fn folder() -> PathBuf {
    crate::data().join("golden")
}

/// All records.
pub fn records() -> Vec<Record> {
    let mut records = Vec::new();
    for (file, held_to) in FILES {
        let text = std::fs::read_to_string(folder().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}: {error}"));
            // A line stands for one version of the standard or for several.
            let opsets =
                line["opset"].as_array().map_or_else(|| vec![&line["opset"]], |all| all.iter().collect());
            records.extend(opsets.into_iter().map(|opset| record(file, held_to, opset, &line)));
        }
    }
    records
}

fn record(file: &'static str, held_to: &'static str, opset: &Value, line: &Value) -> Record {
    let id = line["id"].as_str().unwrap().to_owned();
    let is_there = |key: &str| !line[key].is_null();
    let dtype = |key: &str| line[key].as_str().and_then(|name| name.parse().ok()).expect(&id);
    let bits = |value: &Value| {
        let digits = value.as_str().and_then(|text| text.strip_prefix("0x")).expect(&id);
        u64::from_str_radix(digits, 16).unwrap()
    };
    let list = |key: &str| line[key].as_array().expect(&id).iter();
    let size = |value: &Value| value.as_u64().unwrap() as usize;
    assert!(is_there("y_bits") != is_there("error"), "{file} {id}: either y_bits or error is needed");
    let record = Record {
        file,
        held_to,
        standard: match held_to {
            "OpenVINO reference 2026.4.1" => Standard::OpenVino,
            "oneDNN Graph 3.9.1" => Standard::OneDnn,
            _ => Standard::Onnx { opset: opset.as_u64().expect(&id) as u32 },
        },
        dtype: dtype("dtype"),
        shape: list("shape").map(size).collect(),
        min: is_there("min_bits").then(|| bits(&line["min_bits"])),
        max: is_there("max_bits").then(|| bits(&line["max_bits"])),
        bound_dtype: dtype("bound_dtype"),
        x: list("x_bits").map(bits).collect(),
        y: is_there("y_bits").then(|| list("y_bits").map(bits).collect()),
        deviates: line["deviates"].as_array().into_iter().flatten().map(size).collect(),
        id,
    };
    let count = record.x.len();
    assert!(record.y.as_ref().is_none_or(|y| y.len() == count), "{file} {}", record.id);
    assert_eq!(record.shape.iter().product::<usize>(), count, "{file} {}", record.id);
    record
}
