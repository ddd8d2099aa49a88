//! The bodies of the fuzz targets.

pub mod onnx;
pub mod plan;
pub mod standards;
