//! The operator as plain data: element types, numbers, and the clamp.

mod clamp;
mod clamps;
mod display;
mod dtype;
mod element;
pub(crate) mod format;
mod normalize;
mod number;

pub(crate) use clamp::{Affine, Quantization};
pub use clamp::{Clamp, NanRule, Order, Precision, Rounding};
pub use clamps::Clamps;
pub use dtype::DType;
pub(crate) use dtype::Kind;
pub use element::{Element, ElementVisitor};
pub use number::{Number, Scalar};
