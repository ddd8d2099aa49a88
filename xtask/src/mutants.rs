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

/// The test that does it.
const TEST: &str = "self_test::mutants::every_change_is_noticed";

/// The variable with the texts of `--only`.
const ONLY: &str = "WGPU_CLAMP_MUTANTS";

/// # Errors
///
/// A fault goes unnoticed without a line that explains it, a line explains no fault, or the unchanged shaders are
/// wrong.
pub fn run(Args { only }: &Args) -> Result<()> {
    let mut test = cargo(&["test", "--release", "--package", "wgpu-clamp", "--lib", TEST]);
    test.current_dir(root()?).env(ONLY, only);
    run_command(test.args(["--", "--exact", "--ignored", "--nocapture"]))
}
