//! Runs an ONNX file with one Clip node on the GPU: `cargo run --example onnx_clip -- [FOLDER]`.
//!
//! The folder is laid out as ONNX's node tests are: `model.onnx`, and in `test_data_set_0` the files
//! `input_0.pb`, … and `output_0.pb`. Without FOLDER, the program runs a test of this repository.

use std::path::{Path, PathBuf};

use clamp_testing::onnx_file::{self, NodeTest, Result};
use wgpu_clamp::{Clamp, Host, Operands, Tensor};

const DEFAULT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/onnx/test_clip");

fn main() {
    let folder = std::env::args_os().nth(1).map_or_else(|| DEFAULT.into(), PathBuf::from);
    if let Err(error) = run(&folder) {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run(folder: &Path) -> Result<()> {
    let test = NodeTest::read(|path| std::fs::read(path), folder, folder)?;
    let (dtype, shape) = (test.x.dtype, &test.x.shape);
    // Takes the node's numbers; the clamp follows the rules of that version of ONNX.
    let clamp = Clamp::onnx(test.opset, dtype, test.bounds)?;
    println!("{}: Clip of opset {}, {dtype} {shape:?}", folder.display(), test.opset);
    println!("{clamp:x?}");

    let host = Host::open_blocking()?;
    let x = Tensor::upload_bytes(&host, dtype, shape, &test.x.bytes)?;
    let y = Tensor::zeros(&host, dtype, shape)?;
    host.submit(&clamp, Operands::new(x.view(), y.view()))?;
    let output = onnx_file::Tensor { bytes: y.read_bytes_blocking()?, ..test.x };

    let expected = test.expected;
    if output == expected {
        println!("all {} elements are as expected, bit for bit, on {}", output.bits().len(), host.adapter());
        return Ok(());
    }
    println!("got {} {:?}, expected {} {:?}", output.dtype, output.shape, expected.dtype, expected.shape);
    for (n, (got, expected)) in output.bits().iter().zip(expected.bits()).enumerate() {
        if *got != expected {
            println!("element {n} is {got:#x}, expected {expected:#x}");
        }
    }
    Err(format!("the output on {} is not what the folder expects", host.adapter()).into())
}
