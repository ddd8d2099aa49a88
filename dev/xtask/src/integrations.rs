//! `cargo xtask integrations`: tests the crate in Dask and burn.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::ValueEnum as _;
use xshell::{Cmd, Shell, cmd};

use crate::packages::{self, VENV, VULKAN};
use crate::shell::{self, Steps, root, shell};

/// Builds the integrations and tests them with their engines: minutes, and gigabytes of disk.
///
/// dask needs Python 3.11 or later and installs into target/integrations; burn runs the program of integrations/burn with and without
/// burn's fusion.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One integration; all of them if not given.
    integration: Option<Integration>,
    /// Instead of testing, prints the figures of dask for docs/INTEGRATIONS.md.
    #[arg(long)]
    measure: bool,
    /// Arguments of pytest: `cargo xtask integrations dask -- -k fork`.
    #[arg(last = true)]
    pytest: Vec<OsString>,
}

/// The Python module, a package of `integrations`.
const DASK: &str = "wgpu-clamp-python";

/// The example, a package of `integrations`.
const BURN: &str = "burn-tensor-clamp";

/// The rivals of `cargo xtask bench --peers`, a package of `integrations` too.
const PEERS: &str = "clamp-peers";

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Integration {
    Dask,
    Burn,
}

impl Args {
    fn integrations(&self) -> Result<Vec<Integration>> {
        let Self { integration, measure, pytest } = self;
        ensure!(
            !measure || integration.is_none_or(|one| one == Integration::Dask),
            "`--measure` measures dask: name `dask` or no integration"
        );
        ensure!(
            pytest.is_empty() || *integration == Some(Integration::Dask),
            "the arguments after `--` go to the pytest of dask: name `dask` before them"
        );
        Ok(match integration {
            Some(one) => vec![*one],
            None if *measure => vec![Integration::Dask],
            None => Integration::value_variants().to_vec(),
        })
    }
}

pub fn run(asked: &Args) -> Result<()> {
    let integrations = asked.integrations()?;
    let sh = shell()?;
    let mut steps = Steps::new();
    steps.step("drivers", || packages::drivers(&VULKAN))?;
    if integrations.contains(&Integration::Dask) {
        steps.step("python", || install_python(&sh))?;
    }
    for integration in integrations {
        match integration {
            Integration::Dask => dask(&sh, asked, &mut steps)?,
            Integration::Burn => burn(&sh, &mut steps)?,
        }
    }
    steps.summary();
    Ok(())
}

/// Builds and tests, or measures, the Python module.
fn dask(sh: &Shell, asked: &Args, steps: &mut Steps) -> Result<()> {
    let python = python();
    steps.step("dask: build", || {
        let _there = sh.push_dir("integrations/dask");
        let build = cmd!(sh, "{python} -m maturin develop --release --locked");
        Ok(build.env("CARGO_TARGET_DIR", root().join("target/integrations")).run()?)
    })?;
    if asked.measure {
        return steps.step("measure", || Ok(cmd!(sh, "{python} integrations/dask/measure.py").run()?));
    }
    steps.step("dask: lints", || lints(sh, DASK))?;
    // Arguments of pytest select Python tests alone.
    if asked.pytest.is_empty() {
        steps.step("dask: cargo test", || {
            // As in maturin's build, the module is not linked to Python.
            Ok(cargo(sh, "test", DASK).env("PYO3_BUILD_EXTENSION_MODULE", "1").run()?)
        })?;
    }
    steps.step("dask: tests", || {
        let args = &asked.pytest;
        let _there = sh.push_dir("integrations/dask");
        Ok(cmd!(sh, "{python} -m pytest {args...}").run()?)
    })
}

/// Runs the example, which checks its own results.
fn burn(sh: &Shell, steps: &mut Steps) -> Result<()> {
    steps.step("burn: lints", || lints(sh, BURN).and_then(|()| lints(sh, PEERS)))?;
    steps.step("burn: with fusion", || Ok(cargo(sh, "run", BURN).run()?))?;
    steps.step("burn: without fusion", || Ok(cargo(sh, "run", BURN).arg("--no-default-features").run()?))
}

/// A building command of cargo for a package of `integrations`.
fn cargo<'sh>(sh: &'sh Shell, subcommand: &str, package: &str) -> Cmd<'sh> {
    shell::cargo(sh, "integrations", subcommand).args(["--release", "--package", package])
}

fn lints(sh: &Shell, package: &str) -> Result<()> {
    Ok(cargo(sh, "clippy", package).args(["--all-targets", "--", "-D", "warnings"]).run()?)
}

/// The virtual environment that Dask is tested in.
fn venv() -> PathBuf {
    root().join("target/integrations/venv")
}

/// The environment's interpreter.
fn python() -> PathBuf {
    venv().join(if cfg!(windows) { "Scripts" } else { "bin" }).join("python")
}

/// Creates the environment if it is missing, and installs what the tests need.
fn install_python(sh: &Shell) -> Result<()> {
    let (python, venv) = (python(), venv());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed;

    #[test]
    fn it_takes_one_or_all() {
        let asked = |line| typed::<Args>(line).unwrap().integrations();
        assert_eq!(asked("").unwrap(), Integration::value_variants());
        assert_eq!(asked("dask -- -k fork").unwrap(), [Integration::Dask]);
        assert_eq!(asked("--measure").unwrap(), [Integration::Dask]);
        for line in ["burn --measure", "burn -- -k fork", "-- -k fork"] {
            assert!(asked(line).is_err(), "{line}");
        }
    }
}
