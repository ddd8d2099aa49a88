//! What ONNX Runtime computed by `QuantizeLinear` and `DequantizeLinear`; `tests/gpu` reads this file too.

use std::path::Path;

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
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden").join(FILE);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| node(&serde_json::from_str(line).unwrap())).collect()
}

fn node(line: &Value) -> Node {
    let operator = line["op"].as_str().unwrap().to_owned();
    let list = |key: &str| line[key].as_array().unwrap().iter().map(|bits| bits.as_u64().unwrap()).collect();
    let [source, dtype] = ["source", "dtype"].map(|key| line[key].as_str().unwrap().parse().unwrap());
    let of = |side: &str| {
        let bits = line[format!("{side}_scale_bits")].as_u64().unwrap();
        // ONNX gives the scale the float dtype of the node.
        let half = line["source"] == "f16" || line["dtype"] == "f16";
        let scale = if half { f16::from_bits(bits as u16).to_f32() } else { f32::from_bits(bits as u32) };
        (scale, line[format!("{side}_zero_point")].as_i64().unwrap() as i32)
    };
    let made = if operator == "QuantizeLinear" {
        let (scale, zero_point) = of("y");
        Clamp::quantize_linear(source, dtype, scale, zero_point)
    } else {
        let (scale, zero_point) = of("x");
        Clamp::dequantize_linear(source, dtype, scale, zero_point)
    };
    Node { operator, clamp: made.unwrap().with_precision(Precision::Exact), x: list("x"), y: list("y") }
}
