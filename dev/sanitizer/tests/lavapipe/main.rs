//! Runs programs unrelated to clamps on a device of this machine and in the sanitizer, and compares the bytes.
//!
//! The device is the first Vulkan adapter: lavapipe on a machine without a GPU. `WGPU_ADAPTER_NAME` picks another.
//! GL is not used: WGSL defines some results, such as the remainder of a negative number, that naga's GLSL leaves to
//! the driver. The tests run on Linux only, where lavapipe is available everywhere, and fail without a Vulkan adapter.
//! `PROPTEST_CASES` sets the number of random programs, `PROPTEST_MAX_SHRINK_ITERS` the attempts to shorten a
//! failing one.

#![cfg(target_os = "linux")]

mod choices;
mod examples;
mod gpu;
mod program;
mod random;
