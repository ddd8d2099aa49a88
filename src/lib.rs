#![warn(missing_docs)]
#![forbid(unsafe_code)]
//! `max(Min, min(x * scale + bias, Max))` on the GPU.

mod adapter;
mod clamp;
mod clamper;
mod dtype;
mod error;
mod host;
mod layout;
mod overlap;
mod params;
mod pipeline;
mod plan;
pub mod reference;
mod scalar;
mod scope;
mod shader;
mod slice;
mod tensor;
mod transfer;
pub mod verify;
mod view;

pub use clamp::{Affine, Bound, Clamp, NanRule, Order, Precision};
pub use clamper::{Clamper, Prepared};
pub use dtype::DType;
pub use error::Error;
pub use host::Host;
pub use layout::{Layout, MAX_RANK};
pub use plan::{Limits, Plan};
pub use scalar::Element;
pub use slice::ClampSlice;
pub use tensor::Tensor;
pub use view::{Operands, View};
pub use wgpu;
