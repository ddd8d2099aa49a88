//! The table of wgpu-clamp: `clamp-bench --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clamp_bench::options::Options;
use clap::Parser as _;

fn main() -> ExitCode {
    match clamp_bench::run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
