//! Runs an ONNX model of one Clip node on its own test data: `cargo run --example onnx_clip [-- FOLDER]`.
//!
//! The folder holds `model.onnx` and `test_data_set_0`, as ONNX ships its node tests.

use std::error::Error;
use std::path::PathBuf;

use wgpu_clamp::{Bound, Host, Tensor, verify};

#[path = "../tests/conformance/onnx_file.rs"]
mod onnx_file;

fn main() -> Result<(), Box<dyn Error>> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/onnx/test_clip");
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from(default), PathBuf::from);
    let test = onnx_file::Test::read(&folder)?;
    // The bounds are inputs of the graph. Here they come from files, so the host knows them.
    let clamp = test.clamp(false)?;
    println!("{}: Clip of opset {}, {} {:?}", folder.display(), test.opset, test.x.dtype, test.x.shape);
    for (name, bound) in [("min", clamp.min()), ("max", clamp.max())] {
        if let Bound::Value(bits) = bound {
            println!("  {name}: bits {bits:#x}");
        }
    }

    let host = Host::open_blocking()?;
    let x = Tensor::upload_bytes(&host, test.x.dtype, &test.x.shape, &test.x.bytes)?;
    let y = Tensor::zeros(&host, test.x.dtype, &test.x.shape)?;
    host.submit(&clamp, (x.view(), y.view()))?;
    let got = y.read_bytes_blocking()?;

    println!("  adapter: {}", host.adapter());
    let layout = y.layout();
    let zeros = vec![0; got.len()];
    println!("  {}", verify::check(&clamp, &layout, &test.x.bytes, &layout, &zeros, &got)?);
    if got == test.y.bytes {
        println!("  as ONNX expects: all {} elements, bit for bit", layout.len());
        Ok(())
    } else {
        Err("the output differs from the one that ONNX expects".into())
    }
}
