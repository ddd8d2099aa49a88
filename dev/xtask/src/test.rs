//! `cargo xtask test`: the crate's tests.

use std::env;
use std::ffi::OsString;

use anyhow::Result;
use xshell::cmd;

use crate::packages;
use crate::shell::{shell, step};
use crate::{tools, web};

/// Runs the crate's tests.
///
/// Stops at the first failure. Installs cargo-nextest below target/ where it is missing: minutes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Runs the tests on WebGPU in headless Chromium, then the tests of the page `web/page`. Needs Node.js 20; installs
    /// Chromium where it is missing.
    #[arg(long, conflicts_with = "exhaustive")]
    browser: bool,
    /// Includes the tests that take hours on a CPU (sets `WGPU_CLAMP_EXHAUSTIVE=1`).
    #[arg(long)]
    exhaustive: bool,
    /// Arguments of `cargo test`: `cargo xtask test -- --test gpu` runs one test program, and nothing else.
    #[arg(last = true)]
    args: Vec<OsString>,
}

/// The package that is published, with the feature that its tests need.
pub const LIBRARY: [&str; 4] = ["--package", "wgpu-clamp", "--features", "ndarray"];

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
    if args.browser {
        return web::test(&args.args);
    }
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
    step("drivers", packages::all_drivers)?;
    if !args.args.is_empty() {
        return step("tests", || Ok(cmd!(sh, "cargo test {LIBRARY...}").args(&args.args).run()?));
    }
    step("nextest", || tools::nextest(&sh))?;
    step("build", || Ok(cmd!(sh, "cargo test {LIBRARY...} --no-run").run()?))?;
    // One process per test; `.config/nextest.toml` leaves out the GPU tests, which share devices in one process per program.
    step("tests", || Ok(cmd!(sh, "cargo nextest run {LIBRARY...}").run()?))?;
    step("tests on GPUs", || Ok(cmd!(sh, "cargo test {LIBRARY...} --test gpu").run()?))?;
    step("documentation", || Ok(cmd!(sh, "cargo test {LIBRARY...} --doc").run()?))?;
    println!("\nAll tests passed.");
    Ok(())
}
