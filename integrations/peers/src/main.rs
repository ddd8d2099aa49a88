//! wgpu-clamp beside burn, ndarray with rayon and an iterator, in the table of `clamp-bench`.

#![forbid(unsafe_code)]

mod burn;
mod host;
mod ours;

use std::process::ExitCode;

fn main() -> ExitCode {
    clamp_bench::run(&[burn::rows, host::rows])
}
