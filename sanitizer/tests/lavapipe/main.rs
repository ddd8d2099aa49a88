//! Programs that know nothing of clamps, on a device of this machine and in the sanitizer: the same bytes.
//!
//! The device is one of Vulkan, lavapipe where there is no GPU; `WGPU_ADAPTER_NAME` picks another. GL is none: naga's GLSL
//! leaves to the driver what WGSL does not, such as the remainder of a negative number. Linux has lavapipe everywhere, and
//! a machine without it fails; the sanitizer is the same on other systems. `PROPTEST_CASES` says how many random programs
//! there are, and `PROPTEST_MAX_SHRINK_ITERS` how often a failing one is made shorter.

#![cfg(target_os = "linux")]

mod choices;
mod examples;
mod floats;
mod gpu;
mod integers;
mod program;
