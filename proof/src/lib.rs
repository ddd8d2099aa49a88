//! What one implementation of WebGPU, Vulkan or GL makes of every specialization, and these side by side.

#![forbid(unsafe_code)]

mod column;
mod matrix;

pub use column::{Cell, Column, Config, Limits};
pub use matrix::Matrix;
