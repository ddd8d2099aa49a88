//! Shared by tests, benchmarks and fuzz targets: random numbers, values, devices, and the comparison of a GPU's
//! buffers with the CPU reference.
//!
//! Cargo compiles `wgpu-clamp` a second time for its unit tests, so their types differ from the types here. The unit
//! tests rebuild the layouts that they take from this crate. They use nothing else here that has a type of
//! `wgpu-clamp`.

#![allow(
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    reason = "tests panic where something is wrong, and use what they ask for; raw bytes can be read beyond their end, as zeros"
)]

pub mod drawn;
#[cfg(feature = "executed")]
pub mod executed;
#[cfg(not(target_arch = "wasm32"))]
pub mod harness;
pub mod layouts;
pub mod numbers;
pub mod random;
#[cfg(feature = "executed")]
pub mod replay;
pub mod slots;
pub mod values;
