//! Quantisations that ONNX Runtime computed, on every adapter.

#[path = "../conformance/quantize.rs"]
mod recorded;

use wgpu_clamp::{Operands, View};

use crate::harness::{buffer, devices, packed, read};
use crate::random::to_bytes;

#[test]
fn every_node_of_onnx_runtime_is_equal() {
    let nodes = recorded::nodes();
    assert_eq!(nodes.len(), 194, "{} has all nodes", recorded::FILE);
    for gpu in devices().filter(|gpu| !gpu.has_f64()) {
        for recorded::Node { operator, clamp, x, y } in &nodes {
            let (source, dtype) = (clamp.source(), clamp.dtype());
            let src = buffer(gpu, &to_bytes(source, x));
            let expected = to_bytes(dtype, y);
            let dst = buffer(gpu, &vec![0; expected.len()]);
            let line = packed(&[x.len()]);
            let operands = Operands::new(View::new(&src, source, line), View::new(&dst, dtype, line));
            gpu.host.submit(clamp, operands).unwrap();
            assert_eq!(read(gpu, &dst), expected, "{operator}: {clamp} on {}", gpu.name);
        }
    }
}
