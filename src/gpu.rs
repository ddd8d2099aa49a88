//! One device: its pipelines, bind groups and recorded clamps. Nothing here submits or waits.

pub(crate) mod adapter;
mod cache;
mod clamper;
mod conversions;
pub(crate) mod mapped;
mod operands;
mod pipeline;
mod prepared;
pub(crate) mod scope;
mod uniform;

pub use clamper::Clamper;
pub use conversions::F16Conversions;
pub use operands::{Operands, View};
pub use prepared::Prepared;
