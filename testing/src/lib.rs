//! What the tests, benchmarks and fuzz targets share: random numbers, values, and devices with the check that every test
//! ends in.
//!
//! Cargo compiles the library anew for the unit tests of `wgpu-clamp`, with types of their own: they translate the layouts
//! that they take from here, and use nothing else that holds types of the library.

#![allow(
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "tests panic where something is wrong, and use what they ask for"
)]

pub mod directml_text;
#[cfg(not(target_arch = "wasm32"))]
pub mod harness;
#[cfg(feature = "proptest")]
pub mod layouts;
#[cfg(feature = "onnx")]
#[allow(missing_docs, reason = "`onnx.proto` describes its messages")]
pub mod onnx_file;
pub mod random;
#[cfg(feature = "proptest")]
pub mod replay;
pub mod values;
