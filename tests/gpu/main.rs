//! Compares the GPU with the CPU reference, bit for bit, on every adapter of this machine.
//!
//! A machine without an adapter fails: these tests never skip. `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` narrow
//! the adapters, `WGPU_CLAMP_REQUIRE` (a list such as `vulkan,gl`) names backends that must be among them.

#[cfg(feature = "ndarray")]
mod arrays;
mod callbacks;
mod channels;
mod clamper;
mod elements;
mod errors;
mod faults;
mod features;
mod found;
mod host;
mod layouts;
mod program;
mod properties;
mod refusals;
mod refused;
mod self_test;
mod slots;
mod streaming;
mod windows;

use clamp_testing::{harness, random, values};
