//! wgpu-clamp beside burn, a plain WGSL kernel, ndarray with rayon and an iterator, in the table of `clamp-bench`.

#![forbid(unsafe_code)]

mod burn;
mod host;
mod naive;
mod ours;

use std::process::ExitCode;

fn main() -> ExitCode {
    clamp_bench::run(&[burn::rows, naive::rows, host::rows])
}
