//! What ONNX Runtime computed by `QuantizeLinear` and `DequantizeLinear`; `tests/gpu` and the browser's tests read this
//! file too.

use serde_json::Value;
use wgpu_clamp::half::f16;
use wgpu_clamp::{Clamp, Precision};

pub const FILE: &str = "onnxruntime-1.32.0_quantize.jsonl";

/// One node. Bits are zero-extended to 64.
pub struct Node {
    pub operator: String,
    /// The clamp of this node, exact.
    pub clamp: Clamp,
    pub x: Vec<u64>,
    pub y: Vec<u64>,
}

/// All records of the file.
pub fn nodes() -> Vec<Node> {
    // A browser has no files.
    let text = include_str!("../data/golden/onnxruntime-1.32.0_quantize.jsonl");
    text.lines().map(|line| node(&serde_json::from_str(line).unwrap())).collect()
}

fn node(line: &Value) -> Node {
    let operator = line["op"].as_str().unwrap().to_owned();
    let list = |key: &str| line[key].as_array().unwrap().iter().map(|bits| bits.as_u64().unwrap()).collect();
    let [source, dtype] = ["source", "dtype"].map(|key| line[key].as_str().unwrap().parse().unwrap());
    let new = if operator == "QuantizeLinear" { Clamp::quantize_linear } else { Clamp::dequantize_linear };
    let side = if operator == "QuantizeLinear" { "y" } else { "x" };
    // ONNX gives the scale the float dtype of the node.
    let bits = line[format!("{side}_scale_bits")].as_u64().unwrap();
    let is_half = line["source"] == "f16" || line["dtype"] == "f16";
    let scale = if is_half { f16::from_bits(bits as u16).to_f32() } else { f32::from_bits(bits as u32) };
    let zero_point = line[format!("{side}_zero_point")].as_i64().unwrap() as i32;
    let clamp = new(source, dtype, scale, zero_point).unwrap().with_precision(Precision::Exact);
    Node { operator, clamp, x: list("x"), y: list("y") }
}
