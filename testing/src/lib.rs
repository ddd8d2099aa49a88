//! Shared by tests, benchmarks and fuzz targets: random numbers, values, and devices with the check that every test
//! on a GPU ends in.
//!
//! For its unit tests, Cargo compiles `wgpu-clamp` a second time, so their types differ from the types here. The unit
//! tests translate the layouts that they take from this crate, and use nothing else of it that holds types of the
//! library.

#![allow(
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
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
