//! `cargo xtask bench`: how fast the crate is here.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::drivers::{self, Api};
use crate::steps::{cargo, run as run_command};

/// Builds the benchmark, optimised, and runs it.
///
/// # Errors
///
/// It does not build, or a result is wrong.
pub fn run(peers: bool, args: &[OsString]) -> Result<()> {
    if let Err(error) = drivers::ensure(&[Api::Vulkan]) {
        eprintln!("warning: {error:#}\nGoing on: another API may do.");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent directory")?;
    // The directory is kept: relative paths in `args` are the user's.
    let mut program = cargo(&["run", "--release"]);
    if peers {
        // A workspace of its own, see its Cargo.toml.
        program.arg("--manifest-path").arg(root.join("benches/peers/Cargo.toml"));
        program.arg("--target-dir").arg(root.join("target/peers"));
    } else {
        program.arg("--manifest-path").arg(root.join("Cargo.toml")).args(["--package", "clamp-bench"]);
    }
    program.arg("--").args(args);
    if let Some(commit) = commit(root) {
        program.env("WGPU_CLAMP_COMMIT", commit);
    }
    run_command(&mut program)
}

/// What is measured, where the repository is one of git.
fn commit(root: &Path) -> Option<String> {
    let output =
        Command::new("git").args(["describe", "--always", "--dirty"]).current_dir(root).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
