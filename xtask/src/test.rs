//! `cargo xtask test`: the checks that every change passes.

use std::env;
use std::ffi::OsString;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use crate::lint::{FEATURES, WORKSPACES};
use crate::packages::{self, GL, VULKAN};
use crate::shell::{Steps, shell};
use crate::{deny, release, tools, web};

/// Runs all that a change has to pass: formatting, lints, documentation, tests, examples, the package.
///
/// Stops at the first failure. Installs cargo-nextest below target/ where it is missing: minutes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Runs the library's tests on WebGPU in headless Chromium, then the tests of the page `web/page`. Needs Node.js
    /// 20; installs Chromium where it is missing.
    #[arg(long, conflicts_with = "exhaustive")]
    browser: bool,
    /// Includes the tests that take hours on a CPU (sets `WGPU_CLAMP_EXHAUSTIVE=1`).
    #[arg(long)]
    exhaustive: bool,
    /// Arguments of `cargo test`: `cargo xtask test -- --test gpu` runs one test program, and nothing else.
    #[arg(last = true)]
    args: Vec<OsString>,
}

/// The variable that makes tests exhaustive.
pub const EXHAUSTIVE: &str = "WGPU_CLAMP_EXHAUSTIVE";

/// The variable with the backends that the GPU tests must find.
const REQUIRE: &str = "WGPU_CLAMP_REQUIRE";

/// The backends that the system or [`packages::drivers`] provides.
const BACKENDS: Option<&str> = if cfg!(target_os = "linux") {
    Some("vulkan,gl")
} else if cfg!(windows) {
    Some("dx12")
} else if cfg!(target_os = "macos") {
    Some("metal")
} else {
    None
};

pub fn run(args: &Args) -> Result<()> {
    if args.browser { web::test(&args.args) } else { run_all(args) }
}

/// Runs every check, the quick ones first, and stops at the first that fails.
fn run_all(args: &Args) -> Result<()> {
    let sh = shell()?;
    let mut steps = Steps::new();
    if !args.args.is_empty() {
        steps.step("drivers", || packages::drivers(&[&VULKAN[..], &GL].concat()))?;
        return steps.step("tests", || tests(args));
    }
    steps.step("tools", || {
        components(&sh)?;
        tools::cargo(&sh, "cargo-nextest")
    })?;
    steps.step("drivers", || packages::drivers(&[&VULKAN[..], &GL].concat()))?;
    steps.step("format", || WORKSPACES.iter().try_for_each(|workspace| workspace.format(&sh)))?;
    steps.step("lints", || WORKSPACES[0].lint(&sh, &["--workspace"]))?;
    steps.step("dependencies", || deny::if_there(&sh))?;
    steps.step("documentation", || {
        // As docs.rs builds it.
        let doc = cmd!(sh, "cargo doc --no-deps --all-features");
        Ok(doc.env("RUSTDOCFLAGS", "--cfg docsrs -D warnings").run()?)
    })?;
    steps.step("wasm32", || {
        let target = web::TARGET;
        if !tools::has_target(&sh, target) {
            println!("not checked: the toolchain lacks the target; `rustup target add {target}` adds it");
            return Ok(());
        }
        Ok(cmd!(sh, "cargo check --lib --target {target}").run()?)
    })?;
    steps.step("tests", || tests(args))?;
    steps.step("examples", || examples(&sh))?;
    // Earlier builds have downloaded everything.
    steps.step("package", || release::package(&sh, &["--allow-dirty", "--offline"]))?;
    steps.summary();
    println!("\nAll checks passed.");
    Ok(())
}

/// Checks for rustfmt and clippy before anything slow begins.
fn components(sh: &Shell) -> Result<()> {
    let missing: Vec<_> = [("cargo-fmt", "rustfmt"), ("cargo-clippy", "clippy")]
        .into_iter()
        .filter_map(|(program, component)| (!tools::is_there(sh, program)).then_some(component))
        .collect();
    if !missing.is_empty() {
        bail!(
            "the Rust toolchain lacks components. Run:\n\n    rustup component add {}\n",
            missing.join(" ")
        );
    }
    Ok(())
}

/// Runs the GPU tests in one process per program, because they share devices, and every other test in a process of its
/// own. `.config/nextest.toml` names the GPU tests' programs. Then runs the tests in documentation.
fn tests(args: &Args) -> Result<()> {
    let sh = shell()?;
    let is_set = |name: &&str| env::var_os(name).is_some();
    if !is_set(&"WGPU_VALIDATION") {
        // Debug builds of wgpu would load an installed validation layer and run slowly.
        sh.set_var("WGPU_VALIDATION", "0");
    }
    if args.exhaustive {
        sh.set_var(EXHAUSTIVE, "1");
    }
    // GPU tests fail if one of these backends is missing, unless the user has chosen backends or an adapter.
    if let Some(backends) = BACKENDS
        && !["WGPU_BACKEND", "WGPU_ADAPTER_NAME", REQUIRE].iter().any(is_set)
    {
        sh.set_var(REQUIRE, backends);
    }
    let workspace = ["--workspace", "--features", FEATURES];
    if !args.args.is_empty() {
        return Ok(cmd!(sh, "cargo test {workspace...}").args(&args.args).run()?);
    }
    cmd!(sh, "cargo nextest run {workspace...}").run()?;
    cmd!(sh, "cargo test {workspace...} --test gpu --test conformance").run()?;
    Ok(cmd!(sh, "cargo test {workspace...} --doc").run()?)
}

/// Runs the examples. Each checks its own result. They are built with the workspace, to share the tests' dependencies.
fn examples(sh: &Shell) -> Result<()> {
    cmd!(sh, "cargo build --workspace --examples --features {FEATURES}").run()?;
    // Cargo puts the examples beside this program.
    let built = env::current_exe()?.with_file_name("examples");
    let run = |name: &str, args: &[&str]| sh.cmd(built.join(name)).args(args).run();
    for name in ["quickstart", "own_encoder", "frame_to_tensor", "onnx_clip", "ndarray_views"] {
        run(name, &[])?;
    }
    // A few cases; the tests run all.
    Ok(run("doctor", &["--cases", "0..5"])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed;

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
