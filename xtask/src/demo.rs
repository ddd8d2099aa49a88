//! `cargo xtask demo`: the crate at work.

use std::ffi::OsString;

use anyhow::Result;

use crate::cli;
use crate::drivers::{self, Api};
use crate::steps::{cargo, run as run_command};

/// The command.
pub const COMMAND: cli::Command = cli::Command {
    name: "demo",
    usage: "
    cargo xtask demo [--out DIR] [ARGS...]
        Runs the example `levels`, optimised, on real pictures. Everything after `demo` goes to the
        example; `cargo xtask demo -- --help` shows its own options.
",
    task: |words| Ok(Box::new(move || run(&words.all()))),
};

/// Runs the example `levels`.
///
/// # Errors
///
/// The example does not build or fails.
pub fn run(args: &[OsString]) -> Result<()> {
    // Vulkan alone: one API is enough to show the crate, and this may be a stranger's machine.
    if let Err(error) = drivers::ensure(&[Api::Vulkan]) {
        eprintln!(
            "warning: {error:#}\nGoing on: with no GPU adapter at all, the CPU reference does the work."
        );
    }
    // The package is named, and the directory kept: relative paths in `args` are the user's.
    let example = ["run", "--release", "--package", "wgpu-clamp", "--example", "levels", "--"];
    run_command(cargo(&example).args(args))
}
