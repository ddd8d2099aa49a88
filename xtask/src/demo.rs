//! `cargo xtask demo`: the crate at work.

use std::ffi::OsString;

use anyhow::Result;

use crate::drivers::{self, Api};
use crate::steps::{cargo, run as run_command};

/// Runs the example `levels` on real pictures.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Arguments of the example; `cargo xtask demo -- --help` shows them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// # Errors
///
/// The example does not build or fails.
pub fn run(Args { args }: &Args) -> Result<()> {
    // Vulkan alone: one API is enough to show the crate, and this may be a stranger's machine.
    if let Err(error) = drivers::ensure(&[Api::Vulkan]) {
        eprintln!(
            "warning: {error:#}\nGoing on: with no GPU adapter at all, the CPU reference does the work."
        );
    }
    // Relative paths in `args` are the user's, so the working directory stays.
    let example = ["run", "--release", "--package", "wgpu-clamp", "--example", "levels", "--"];
    run_command(cargo(&example).args(args))
}
