//! Runs programs on a device of this machine and in the sanitizer, and compares the bytes.
//!
//! The device is the first Vulkan adapter: lavapipe on a machine without a GPU. `WGPU_ADAPTER_NAME` picks another. The
//! tests run on Linux only, where lavapipe is available everywhere, and fail without a Vulkan adapter.

#![cfg(target_os = "linux")]

mod operations;
mod program;
mod random;
