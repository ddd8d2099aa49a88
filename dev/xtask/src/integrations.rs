//! `cargo xtask integrations`: tests the crate in Dask and burn.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, Result};
use xshell::{Cmd, Shell, cmd};

use crate::packages::{self, VULKAN};
use crate::shell::{self, root, shell, step};

/// Builds the integrations and tests them with their engines: minutes, and gigabytes of disk.
///
/// Dask needs Python 3.11 or later and installs into target/integrations; burn runs the program of integrations/burn with
/// and without burn's fusion.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Dask alone.
    #[arg(long)]
    dask: bool,
    /// Arguments of pytest, which run Dask alone: `cargo xtask integrations -- -k fork`.
    #[arg(last = true)]
    pytest: Vec<OsString>,
}

/// Packages of the workspace `integrations`.
const DASK: &str = "wgpu-clamp-python";
const BURN: &str = "burn-tensor-clamp";

pub fn run(Args { dask, pytest }: &Args) -> Result<()> {
    let sh = shell()?;
    step("drivers", || packages::drivers(&VULKAN))?;
    // The virtual environment that Dask is tested in. With the variable, programs that Python starts find maturin and dask.
    let venv = root().join("target/integrations/venv");
    let python = venv.join(if cfg!(windows) { "Scripts" } else { "bin" }).join("python");
    sh.set_var("VIRTUAL_ENV", &venv);
    step("python", || install_python(&sh, &venv, &python))?;
    step("dask: build", || {
        let _there = sh.push_dir("integrations/dask");
        let build = cmd!(sh, "{python} -m maturin develop --release --locked");
        Ok(build.env("CARGO_TARGET_DIR", root().join("target/integrations")).run()?)
    })?;
    if pytest.is_empty() {
        step("lints", || {
            let lints = shell::cargo(&sh, "integrations", "clippy").args(["--release", "--workspace"]);
            Ok(lints.args(["--all-targets", "--", "-D", "warnings"]).run()?)
        })?;
        step("dask: cargo test", || {
            // As in maturin's build, the module is not linked to Python.
            Ok(cargo(&sh, "test", DASK).env("PYO3_BUILD_EXTENSION_MODULE", "1").run()?)
        })?;
    }
    step("dask: tests", || {
        let _there = sh.push_dir("integrations/dask");
        Ok(cmd!(sh, "{python} -m pytest {pytest...}").run()?)
    })?;
    if !dask && pytest.is_empty() {
        // The program checks its own results.
        step("burn: with fusion", || Ok(cargo(&sh, "run", BURN).run()?))?;
        step("burn: without", || Ok(cargo(&sh, "run", BURN).arg("--no-default-features").run()?))?;
    }
    Ok(())
}

/// A building command of cargo for a package of `integrations`.
fn cargo<'sh>(sh: &'sh Shell, subcommand: &str, package: &str) -> Cmd<'sh> {
    shell::cargo(sh, "integrations", subcommand).args(["--release", "--package", package])
}

/// Creates the environment if it is missing, and installs what the tests need.
fn install_python(sh: &Shell, venv: &Path, python: &Path) -> Result<()> {
    if cmd!(sh, "{python} -m pip --version").ignore_stderr().read().is_err() {
        let is_new = "import sys; sys.exit(sys.version_info < (3, 11))";
        cmd!(sh, "python3 -c {is_new}").run().context("python3 is older than 3.11, which is needed")?;
        // Debian's Python has the module `venv` without its dependencies.
        let modules = "import ensurepip, venv";
        if cmd!(sh, "python3 -c {modules}").ignore_stderr().run().is_err() {
            packages::install(&["python3-venv"])?;
        }
        cmd!(sh, "python3 -m venv --clear {venv}").run()?;
    }
    let requirements = "integrations/dask/requirements.txt";
    Ok(cmd!(sh, "{python} -m pip install --quiet --disable-pip-version-check -r {requirements}").run()?)
}
