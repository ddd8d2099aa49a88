//! `cargo xtask shaders --budget`: what a real GPU's compiler makes of the kernels, without the GPU.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};

use crate::drivers::{self, Api};
use crate::steps::{cargo, run as run_command};

/// Builds the program, optimised, and runs it.
///
/// # Errors
///
/// There is no Vulkan driver, it does not build, or the figures are not those that were kept.
pub fn budget(args: &[OsString]) -> Result<()> {
    // AMD's driver comes in the package of the software drivers; lavapipe says what there is to compile.
    drivers::ensure(&[Api::Vulkan])?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent directory")?;
    // A workspace of its own, see its Cargo.toml. The directory is kept: relative paths in `args` are the user's.
    let mut program = cargo(&["run", "--release"]);
    program.arg("--manifest-path").arg(root.join("benches/budget/Cargo.toml"));
    program.arg("--target-dir").arg(root.join("target/budget"));
    program.arg("--").args(args);
    run_command(&mut program)
}
