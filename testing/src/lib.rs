//! What the tests, benchmarks and fuzz targets share: random numbers, values, and devices with the check that every test
//! ends in.
//!
//! The unit tests of `wgpu-clamp` cannot use it: cargo compiles the library anew for them, with types of their own.

#![allow(
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "tests panic where something is wrong, and use what they ask for"
)]

pub mod directml_text;
#[cfg(not(target_arch = "wasm32"))]
pub mod harness;
#[cfg(feature = "onnx")]
#[allow(missing_docs, reason = "`onnx.proto` describes its messages")]
pub mod onnx_file;
pub mod random;
#[cfg(feature = "replay")]
pub mod replay;
pub mod values;
