//! `cargo xtask test`: all that a change has to pass.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::deny;
use crate::drivers::{self, Api};
use crate::steps::{Steps, cargo, run as run_command, succeeds};

/// The variable that names the backends which the GPU tests must find.
const REQUIRE: &str = "WGPU_CLAMP_REQUIRE";

/// Runs every check, the quick ones first, and stops at the first that fails.
///
/// # Errors
///
/// A check fails, or something that the checks need is missing and cannot be installed.
pub fn run(exhaustive: bool, args: &[OsString]) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent directory")?;
    let in_root = |args: &[&str]| {
        let mut command = cargo(args);
        command.current_dir(root);
        command
    };
    let mut steps = Steps::new();
    steps.step("tools", tools)?;
    steps.step("drivers", || drivers::ensure(&[Api::Vulkan, Api::Gl]))?;
    steps.step("format", || run_command(&mut in_root(&["fmt", "--all", "--check"])))?;
    steps.step("lints", || {
        let lints = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
        run_command(&mut in_root(&lints))
    })?;
    steps.step("dependencies", deny::if_there)?;
    steps.step("documentation", || {
        run_command(in_root(&["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    steps.step("wasm32", || {
        const TARGET: &str = "wasm32-unknown-unknown";
        let mut list = std::process::Command::new("rustup");
        let installed = list.args(["target", "list", "--installed"]).output();
        let has = installed.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(TARGET));
        if !has {
            println!("not checked: the toolchain lacks the target; `rustup target add {TARGET}` adds it");
            return Ok(());
        }
        run_command(&mut in_root(&["check", "--lib", "--target", TARGET]))
    })?;
    steps.step("tests", || {
        let mut tests = in_root(&["test", "--workspace"]);
        if std::env::var_os("WGPU_VALIDATION").is_none() {
            // Where Vulkan's validation layer is installed, debug builds of wgpu load it, and take longer.
            tests.env("WGPU_VALIDATION", "0");
        }
        if exhaustive {
            tests.env("WGPU_CLAMP_EXHAUSTIVE", "1");
        }
        // Both drivers are there, so a suite that ran on one of them only has gone wrong; unless somebody
        // asked for that.
        let narrowed = ["WGPU_BACKEND", "WGPU_ADAPTER_NAME", REQUIRE];
        if cfg!(target_os = "linux") && narrowed.iter().all(|name| std::env::var_os(name).is_none()) {
            tests.env(REQUIRE, "vulkan,gl");
        }
        run_command(tests.args(args))
    })?;
    steps.step("examples", || {
        // Each checks its own result, and was built with the tests.
        ["quickstart", "own_encoder", "frame_to_tensor"].into_iter().try_for_each(|example| {
            run_command(&mut in_root(&["run", "--package", "wgpu-clamp", "--example", example]))
        })
    })?;
    steps.summary();
    println!("\nAll checks passed.");
    Ok(())
}

/// Not every toolchain has rustfmt and clippy: better to say so before anything slow begins.
fn tools() -> Result<()> {
    let components = [("fmt", "rustfmt"), ("clippy", "clippy")];
    let missing: Vec<_> = components
        .into_iter()
        .filter(|(subcommand, _)| !succeeds(&mut cargo(&[subcommand, "--version"])))
        .map(|(_, component)| component)
        .collect();
    if !missing.is_empty() {
        bail!(
            "the Rust toolchain lacks {}. Run:\n\n    rustup component add {}\n",
            missing.join(" and "),
            missing.join(" ")
        );
    }
    println!("rustfmt and clippy are there");
    Ok(())
}
