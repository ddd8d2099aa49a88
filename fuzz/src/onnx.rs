//! Reads the files of an ONNX node test as the example `onnx_clip` and the conformance tests do. The reader must return
//! tensors of as many bytes as their shapes need, with bounds that make a clamp. Anything else must be an error with a
//! message.

use std::io;
use std::path::Path;

use clamp_testing::onnx_file::{NodeTest, Tensor};
use wgpu_clamp::{Clamp, Layout, MAX_RANK, reference};

use crate::accepted;

/// Runs one input of the target: the model, the expected output and the inputs. Before each of them is its length in
/// two bytes, little-endian.
///
/// # Panics
///
/// The reader has a fault.
pub fn run(bytes: &[u8]) {
    let (model, rest) = split(bytes);
    let (output, mut rest) = split(rest);
    let mut inputs = Vec::new();
    while !rest.is_empty() {
        let (input, behind) = split(rest);
        inputs.push(input);
        rest = behind;
    }
    let file = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let input = || name.strip_prefix("input_")?.strip_suffix(".pb")?.parse::<usize>().ok();
        let bytes = match name {
            "model.onnx" => Some(model),
            "output_0.pb" => Some(output),
            _ => input().and_then(|n| inputs.get(n).copied()),
        };
        bytes.map(<[u8]>::to_vec).ok_or_else(|| io::ErrorKind::NotFound.into())
    };
    let Some(test) = accepted(NodeTest::read(file, Path::new(""), Path::new(""))) else { return };
    for tensor in [&test.x, &test.expected] {
        let Tensor { dtype, shape, bytes } = tensor;
        assert_eq!(shape.iter().product::<usize>() * dtype.size(), bytes.len());
        assert_eq!(tensor.bits().len() * dtype.size(), bytes.len());
    }
    let Some(clamp) = accepted(Clamp::onnx(test.opset, test.x.dtype, test.bounds)) else { return };
    let Some(layout) = accepted(Layout::packed(&test.x.shape)) else {
        return assert!(test.x.shape.len() > MAX_RANK, "{:?}", test.x.shape);
    };
    let mut src = test.x.bytes;
    src.resize(src.len().next_multiple_of(4), 0);
    let mut dst = vec![0; src.len()];
    accepted(reference::apply(&clamp, &layout, &src, &layout, &mut dst)).expect("the buffers fit the shape");
}

/// Splits off a length in two bytes and as many bytes, or all if fewer are left. Returns these bytes and the rest.
fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let Some((length, rest)) = bytes.split_first_chunk() else { return (&[], &[]) };
    rest.split_at(usize::from(u16::from_le_bytes(*length)).min(rest.len()))
}
