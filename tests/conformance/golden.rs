//! The recorded outputs: files of one JSON object per line, described in `tests/data/README.md`.

use std::path::PathBuf;

use serde::{Deserialize, de};
use wgpu_clamp::DType;
use wgpu_clamp::standards::Standard;

/// One case of another implementation. Bits are zero-extended to 64.
#[derive(Clone, Debug)]
pub struct Record {
    pub file: &'static str,
    pub id: String,
    pub standard: Standard,
    pub dtype: DType,
    pub shape: Vec<usize>,
    pub min: Option<u64>,
    pub max: Option<u64>,
    /// The dtype of the bounds' bits.
    pub bound_dtype: DType,
    pub x: Vec<u64>,
    /// The output, or why there is none.
    pub y: Result<Vec<u64>, String>,
    /// Indices of elements of `y` that are wrong by the operator's own definition.
    pub deviates: Vec<usize>,
    /// Whether the case is about the shape of a bound, which is one element here.
    pub is_bound_shape: bool,
    /// The id of the case that has the same data.
    pub same_as: Option<String>,
}

#[derive(Deserialize)]
struct Line {
    id: String,
    opset: Option<u32>,
    #[serde(deserialize_with = "dtype")]
    dtype: DType,
    shape: Vec<usize>,
    min_bits: Option<Bits>,
    max_bits: Option<Bits>,
    bound_dtype: Option<String>,
    x_bits: Option<Vec<Bits>>,
    y_bits: Option<Vec<Bits>>,
    error: Option<String>,
    #[serde(default)]
    deviates: Vec<usize>,
    bound_shape: Option<de::IgnoredAny>,
    same_as: Option<String>,
}

/// Hexadecimal, as in `"0x00ff"`.
#[derive(Clone, Copy)]
struct Bits(u64);

impl<'de> Deserialize<'de> for Bits {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        let bits = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        bits.map(Self).ok_or_else(|| de::Error::custom(format!("{text} is no hexadecimal integer")))
    }
}

fn dtype<'de, D: de::Deserializer<'de>>(deserializer: D) -> Result<DType, D::Error> {
    let name = String::deserialize(deserializer)?;
    named(&name).ok_or_else(|| de::Error::custom(format!("{name} is no dtype")))
}

fn named(name: &str) -> Option<DType> {
    DType::ALL.into_iter().find(|dtype| dtype.name() == name)
}

/// The standard of a file's cases.
#[derive(Clone, Copy)]
enum Kind {
    Onnx,
    OpenVino,
    OneDnn,
}

/// The files with outputs of runtimes.
const RUNTIMES: [(&str, Kind); 7] = [
    ("onnxruntime-1.31.1_clip6.jsonl", Kind::Onnx),
    ("onnxruntime-1.31.1_clip11.jsonl", Kind::Onnx),
    ("onnxruntime-1.31.1_clip12.jsonl", Kind::Onnx),
    ("onnxruntime-1.31.1_clip13.jsonl", Kind::Onnx),
    ("openvino-reference-2026.4.1_clamp1-float.jsonl", Kind::OpenVino),
    ("openvino-reference-2026.4.1_clamp1-int.jsonl", Kind::OpenVino),
    ("onednn-graph-3.9.1_clamp.jsonl", Kind::OneDnn),
];

/// Every record of a runtime.
pub fn runtimes() -> Vec<Record> {
    RUNTIMES.into_iter().flat_map(|(file, kind)| read(file, kind)).collect()
}

/// ONNX's node tests, once more as JSON.
pub fn node_tests() -> Vec<Record> {
    read("onnx-node-tests.jsonl", Kind::Onnx)
}

pub fn folder() -> PathBuf {
    crate::data().join("golden")
}

fn read(file: &'static str, kind: Kind) -> Vec<Record> {
    let text = std::fs::read_to_string(folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut records: Vec<Record> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line: Line =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}, line {}: {error}", n + 1));
        let namesake = line.same_as.as_ref().map(|id| {
            let found = records.iter().find(|record| record.id == *id);
            found.unwrap_or_else(|| panic!("{file}: {} is the same as {id}, which is not there", line.id))
        });
        let record = match namesake {
            Some(namesake) => Record { id: line.id, same_as: line.same_as, ..namesake.clone() },
            None => from_line(file, kind, line),
        };
        records.push(record);
    }
    records
}

fn from_line(file: &'static str, kind: Kind, line: Line) -> Record {
    let id = line.id;
    let bits = |list: Vec<Bits>| list.into_iter().map(|Bits(bits)| bits).collect::<Vec<_>>();
    let standard = match kind {
        Kind::Onnx => Standard::Onnx { opset: line.opset.unwrap_or_else(|| panic!("{file} {id}: no opset")) },
        Kind::OpenVino => Standard::OpenVino,
        Kind::OneDnn => Standard::OneDnn,
    };
    let bound_dtype = line.bound_dtype.as_deref().and_then(named);
    let x = line.x_bits.map_or_else(|| panic!("{file} {id}: no x_bits"), bits);
    let y = match (line.y_bits.map(bits), line.error) {
        (Some(y), None) => Ok(y),
        (None, Some(error)) => Err(error),
        _ => panic!("{file} {id}: either y_bits or error is needed"),
    };
    let counts = [line.shape.iter().product(), x.len(), y.as_ref().map_or(x.len(), Vec::len)];
    assert!(counts.iter().all(|&count| count == counts[0]), "{file} {id}: elements {counts:?}");
    Record {
        file,
        standard,
        dtype: line.dtype,
        shape: line.shape,
        min: line.min_bits.map(|bits| bits.0),
        max: line.max_bits.map(|bits| bits.0),
        bound_dtype: bound_dtype.unwrap_or_else(|| panic!("{file} {id}: no bound_dtype")),
        x,
        y,
        deviates: line.deviates,
        is_bound_shape: line.bound_shape.is_some(),
        same_as: line.same_as,
        id,
    }
}
