//! Drivers on every adapter of this machine: the GPU against the CPU reference, bit for bit, and promises to the calling
//! program.
//!
//! A machine without an adapter fails: these tests never skip. `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` narrow
//! the adapters, `WGPU_CLAMP_REQUIRE` (a list such as `vulkan,gl`) names backends that must be among them.

mod callbacks;
mod clamper;
mod errors;
mod faults;
mod features;
mod host;
mod program;
mod properties;
mod quantized;
mod self_test;
mod slots;
mod streaming;
mod windows;

use clamp_testing::{harness, random, values};
