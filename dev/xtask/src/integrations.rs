//! `cargo xtask integrations`: tests the crate in Dask and burn.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use xshell::{Cmd, Shell, cmd};

use crate::packages::{self, VENV, VULKAN};
use crate::shell::{self, Steps, root, shell};

/// Builds the integrations and tests them with their engines: minutes, and gigabytes of disk.
///
/// Dask needs Python 3.11 or later and installs into target/integrations; burn runs the program of integrations/burn with
/// and without burn's fusion.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Dask alone.
    #[arg(long)]
    dask: bool,
    /// Instead of testing, prints the figures of Dask for docs/INTEGRATIONS.md.
    #[arg(long)]
    measure: bool,
    /// Arguments of pytest, which run Dask alone: `cargo xtask integrations -- -k fork`.
    #[arg(last = true, conflicts_with = "measure")]
    pytest: Vec<OsString>,
}

/// Packages of the workspace `integrations`.
const DASK: &str = "wgpu-clamp-python";
const BURN: &str = "burn-tensor-clamp";

pub fn run(Args { dask, measure, pytest }: &Args) -> Result<()> {
    let sh = shell()?;
    let mut steps = Steps::new();
    steps.step("drivers", || packages::drivers(&VULKAN))?;
    steps.step("python", || install_python(&sh))?;
    let python = python();
    steps.step("dask: build", || {
        let _there = sh.push_dir("integrations/dask");
        let build = cmd!(sh, "{python} -m maturin develop --release --locked");
        Ok(build.env("CARGO_TARGET_DIR", root().join("target/integrations")).run()?)
    })?;
    if *measure {
        return steps.step("measure", || Ok(cmd!(sh, "{python} integrations/dask/measure.py").run()?));
    }
    if pytest.is_empty() {
        steps.step("lints", || {
            let lints = shell::cargo(&sh, "integrations", "clippy").args(["--release", "--workspace"]);
            Ok(lints.args(["--all-targets", "--", "-D", "warnings"]).run()?)
        })?;
        steps.step("dask: cargo test", || {
            // As in maturin's build, the module is not linked to Python.
            Ok(cargo(&sh, "test", DASK).env("PYO3_BUILD_EXTENSION_MODULE", "1").run()?)
        })?;
    }
    steps.step("dask: tests", || {
        let _there = sh.push_dir("integrations/dask");
        Ok(cmd!(sh, "{python} -m pytest {pytest...}").run()?)
    })?;
    if !dask && pytest.is_empty() {
        // The program checks its own results.
        steps.step("burn: with fusion", || Ok(cargo(&sh, "run", BURN).run()?))?;
        steps.step("burn: without", || Ok(cargo(&sh, "run", BURN).arg("--no-default-features").run()?))?;
    }
    steps.summary();
    Ok(())
}

/// A building command of cargo for a package of `integrations`.
fn cargo<'sh>(sh: &'sh Shell, subcommand: &str, package: &str) -> Cmd<'sh> {
    shell::cargo(sh, "integrations", subcommand).args(["--release", "--package", package])
}

/// The interpreter of the virtual environment that Dask is tested in.
fn python() -> PathBuf {
    root().join("target/integrations/venv").join(if cfg!(windows) { "Scripts" } else { "bin" }).join("python")
}

/// Creates the environment if it is missing, and installs what the tests need.
fn install_python(sh: &Shell) -> Result<()> {
    let (python, venv) = (python(), root().join("target/integrations/venv"));
    // With this, programs that the interpreter starts find maturin and dask.
    sh.set_var("VIRTUAL_ENV", &venv);
    if cmd!(sh, "{python} -m pip --version").ignore_stderr().read().is_err() {
        packages::ensure(&[VENV])?;
        let is_new = "import sys; sys.exit(sys.version_info < (3, 11))";
        cmd!(sh, "python3 -c {is_new}").run().context("python3 is older than 3.11, which is needed")?;
        cmd!(sh, "python3 -m venv --clear {venv}").run()?;
    }
    let requirements = "integrations/dask/requirements.txt";
    Ok(cmd!(sh, "{python} -m pip install --quiet --disable-pip-version-check -r {requirements}").run()?)
}
