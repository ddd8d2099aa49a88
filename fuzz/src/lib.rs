//! The bodies of the fuzz targets.

pub mod npy;
pub mod onnx;
pub mod plan;
pub mod standards;
