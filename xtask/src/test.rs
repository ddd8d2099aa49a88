//! `cargo xtask test`: the checks that every change passes.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::deny;
use crate::drivers::{self, Api};
use crate::lint::{FEATURES, WORKSPACES, Workspace};
use crate::manifest::{metadata, text};
use crate::packed::{self, Tree};
use crate::steps::{Steps, cargo, root, run as run_command, succeeds};
use crate::web;

/// Runs all that a change has to pass: formatting, lints, documentation, tests, examples, the package.
///
/// Stops at the first failure.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Runs the library's tests on WebGPU in headless Chromium, then those of the page `web/page`. Needs Node.js 20;
    /// installs Chromium where it is missing.
    #[arg(long, conflicts_with = "exhaustive")]
    browser: bool,
    /// Includes the tests that take hours on a CPU (sets `WGPU_CLAMP_EXHAUSTIVE=1`).
    #[arg(long)]
    exhaustive: bool,
    /// Arguments of `cargo test`: `cargo xtask test -- --test gpu` runs one test program.
    #[arg(last = true)]
    args: Vec<OsString>,
}

/// The variable that makes tests exhaustive.
pub const EXHAUSTIVE: &str = "WGPU_CLAMP_EXHAUSTIVE";

/// The variable with the backends that the GPU tests must find.
const REQUIRE: &str = "WGPU_CLAMP_REQUIRE";

/// The backends that the system or `drivers::ensure` provides.
const BACKENDS: Option<&str> = if cfg!(target_os = "linux") {
    Some("vulkan,gl")
} else if cfg!(windows) {
    Some("dx12")
} else if cfg!(target_os = "macos") {
    Some("metal")
} else {
    None
};

/// # Errors
///
/// A check fails, or something that the checks need is missing and cannot be installed.
pub fn run(args: &Args) -> Result<()> {
    if args.browser { web::test(&args.args) } else { run_all(args) }
}

/// Runs every check, the quick ones first, and stops at the first that fails.
fn run_all(args: &Args) -> Result<()> {
    let root = root()?;
    let in_root = |args: &[&str]| {
        let mut command = cargo(args);
        command.current_dir(root);
        command
    };
    let mut steps = Steps::new();
    steps.step("tools", tools)?;
    steps.step("drivers", || drivers::ensure(&[Api::Vulkan, Api::Gl]))?;
    steps.step("format", || WORKSPACES.iter().try_for_each(Workspace::format))?;
    steps.step("lints", || WORKSPACES[0].lint())?;
    steps.step("dependencies", deny::if_there)?;
    steps.step("documentation", || {
        // As docs.rs builds it.
        run_command(
            in_root(&["doc", "--no-deps", "--all-features"]).env("RUSTDOCFLAGS", "--cfg docsrs -D warnings"),
        )
    })?;
    steps.step("wasm32", || {
        let mut list = Command::new("rustup");
        let installed = list.args(["target", "list", "--installed"]).output();
        let has = installed.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(web::TARGET));
        if !has {
            println!(
                "not checked: the toolchain lacks the target; `rustup target add {}` adds it",
                web::TARGET
            );
            return Ok(());
        }
        run_command(&mut in_root(&["check", "--lib", "--target", web::TARGET]))
    })?;
    steps.step("tests", || {
        let mut tests = in_root(&["test", "--workspace", "--features", FEATURES]);
        if std::env::var_os("WGPU_VALIDATION").is_none() {
            // Debug builds of wgpu would load an installed validation layer and run slowly.
            tests.env("WGPU_VALIDATION", "0");
        }
        if args.exhaustive {
            tests.env(EXHAUSTIVE, "1");
        }
        // A suite that runs without one of these backends has failed, unless somebody asked for that.
        let narrowed = ["WGPU_BACKEND", "WGPU_ADAPTER_NAME", REQUIRE];
        if let Some(backends) = BACKENDS
            && narrowed.iter().all(|name| std::env::var_os(name).is_none())
        {
            tests.env(REQUIRE, backends);
        }
        run_command(tests.args(&args.args))
    })?;
    steps.step("examples", || {
        // Each example checks its own result. Built with the workspace, it shares the tests' dependencies.
        let own: [(&str, &[&str]); 6] = [
            ("quickstart", &[]),
            ("own_encoder", &[]),
            ("frame_to_tensor", &[]),
            ("onnx_clip", &[]),
            ("ndarray_views", &[]),
            // The tests run all cases.
            ("doctor", &["--cases", "0..5"]),
        ];
        run_command(&mut in_root(&["build", "--workspace", "--examples", "--features", FEATURES]))?;
        let metadata = metadata(&["--no-deps"])?;
        let built = Path::new(text(&metadata, "target_directory")).join("debug/examples");
        own.into_iter().try_for_each(|(example, args)| {
            run_command(
                Command::new(built.join(format!("{example}{EXE_SUFFIX}"))).args(args).current_dir(root),
            )
        })
    })?;
    steps.step("package", || packed::check(Tree::AsIs))?;
    steps.summary();
    println!("\nAll checks passed.");
    Ok(())
}

/// Checks for rustfmt and clippy before anything slow begins.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::typed;

    #[test]
    fn its_own_options_are_kept_apart_from_those_of_cargo() {
        let asked: Args = typed("--exhaustive -- --test gpu -- --nocapture --help").unwrap();
        assert!(asked.exhaustive && !asked.browser);
        assert_eq!(asked.args, ["--test", "gpu", "--", "--nocapture", "--help"]);
        let error = typed::<Args>("gpu").unwrap_err().to_string();
        assert!(error.contains("'gpu'"), "{error}");
        assert!(typed::<Args>("--browser --exhaustive").is_err());
    }
}
