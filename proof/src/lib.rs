//! Results of the self-test on implementations of WebGPU, Vulkan, GL and Direct3D, side by side.

#![forbid(unsafe_code)]

mod column;
mod matrix;

pub use column::{Cell, Column, Config, Limits};
pub use matrix::Matrix;
