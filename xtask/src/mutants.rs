//! `cargo xtask mutants`: whether the self-test notices small faults in the shaders.

use anyhow::Result;

use crate::steps::{cargo, root, run as run_command};

/// Changes the shaders and the texts of blocks, one small fault at a time, and runs the self-test's cases on the
/// CPU until one notices; prints the faults that none notices.
///
/// Needs no driver. Some minutes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only changes whose file or line contains one of these texts, separated by commas.
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

/// The test that changes and executes.
const TEST: &str = "self_test::mutants::every_change_is_noticed";

/// The variable that tells it what a change must contain.
const ONLY: &str = "WGPU_CLAMP_MUTANTS";

/// # Errors
///
/// A change goes unnoticed that no line explains, a line explains what is no change, or unchanged shaders are wrong.
pub fn run(Args { only }: &Args) -> Result<()> {
    let mut test = cargo(&["test", "--release", "--package", "wgpu-clamp", "--lib", TEST]);
    test.current_dir(root()?).env(ONLY, only);
    run_command(test.args(["--", "--exact", "--ignored", "--nocapture"]))
}
