#![warn(missing_docs)]
#![forbid(unsafe_code)]
//! `max(Min, min(x * scale + bias, Max))` on the GPU.

mod clamp;
mod dtype;
mod error;
mod layout;
mod overlap;
pub mod reference;
mod scalar;
pub mod verify;

pub use clamp::{Affine, Bound, Clamp, NanRule, Order, Precision};
pub use dtype::DType;
pub use error::Error;
pub use layout::{Layout, MAX_RANK};
pub use scalar::Element;
pub use wgpu;
