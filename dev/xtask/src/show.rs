//! `cargo xtask show` and `cargo xtask budget`: what a plan takes, and what a GPU's compiler makes of it.

use std::ffi::OsString;

use anyhow::Result;
use xshell::cmd;

use crate::packages::{self, RADV, VULKAN};
use crate::shell::{root, shell, shell_here};

/// Prints the plan of a clamp with scale and bias of 480 x 640 pixels: the candidates with their costs, the cheapest first,
/// and the text of its shader.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Such as `'hwc u8 -> chw f16 per channel'`. Layouts: hwc, chw, bgr, mirrored, rgba, rotated; matrix, transposed.
    #[arg(value_name = "MOVEMENT", num_args = 1.., required = true, allow_hyphen_values = true)]
    movement: Vec<String>,
}

/// The test that prints a plan.
pub const SHOW: &str = "shader::tests::show::a_plan_is_shown";

pub fn run(Args { movement }: &Args) -> Result<()> {
    let sh = shell()?;
    // The snapshots of the crate's tests take the same movements, so one of these tests prints them.
    let test =
        cmd!(sh, "cargo test --quiet --package wgpu-clamp --lib -- --exact {SHOW} --ignored --nocapture");
    Ok(test.env("WGPU_CLAMP_SHOW", movement.join(" ")).run()?)
}

/// Runs the program of `dev/budget`.
pub fn budget(args: &[OsString]) -> Result<()> {
    packages::drivers(&[VULKAN[0], RADV])?;
    let (sh, root) = (shell_here()?, root());
    let program = cmd!(sh, "cargo run --release --manifest-path {root}/Cargo.toml --package clamp-budget --");
    Ok(program.args(args).run()?)
}
