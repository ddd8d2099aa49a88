//! The table of wgpu-clamp: `clamp-bench --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    clamp_bench::run(&[])
}
