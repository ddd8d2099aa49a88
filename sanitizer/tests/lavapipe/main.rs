//! Programs that know nothing of clamps, on a device of this machine and in the sanitizer: the same bytes.
//!
//! The device is wgpu's choice, lavapipe where there is no GPU; `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` narrow it. A
//! machine without one fails. `PROPTEST_CASES` says how many random programs there are.

mod choices;
mod examples;
mod floats;
mod gpu;
mod integers;
mod program;
