//! The crate against outputs of the real systems: golden files of ONNX Runtime, `OpenVINO`'s reference and `oneDNN`,
//! and the official ONNX node tests; on the CPU reference and on every adapter.

mod directml_tests;
#[path = "../standards/directml_text.rs"]
mod directml_text;
mod exceptions;
mod golden;
mod golden_tests;
#[path = "../gpu/harness.rs"]
#[allow(dead_code, reason = "the GPU tests use the rest")]
mod harness;
mod node_tests;
mod onnx_file;
mod run;
