//! `cargo xtask integrations`: tests the crate in Dask, Zarr and burn.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use clap::ValueEnum as _;

use crate::drivers::{self, Api};
use crate::lint::{INTEGRATIONS, PEERS, Workspace};
use crate::steps::{Steps, root, run as run_command, succeeds};
use crate::tools::{self, Tool};

/// Builds the integrations and tests them with their engines: minutes, and gigabytes of disk.
///
/// dask and zarr need Python 3.11 or later and install into target/integrations; burn runs the example burn_tensor with and
/// without burn's fusion.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One integration; all of them if not given.
    integration: Option<Integration>,
    /// Prints the figures of docs/INTEGRATIONS.md, of dask and zarr, in place of the tests.
    #[arg(long)]
    measure: bool,
    /// Arguments of pytest, for one integration: `cargo xtask integrations dask -- -k fork`.
    #[arg(last = true)]
    pytest: Vec<OsString>,
}

/// The Python module, a package of [`INTEGRATIONS`].
const DASK: &str = "wgpu-clamp-python";

/// The program, a package of [`INTEGRATIONS`].
const ZARR: &str = "clamp-zarr";

/// The example, a package of [`PEERS`].
const BURN: &str = "burn-tensor-clamp";

/// The folder of builds of [`INTEGRATIONS`] and of the Python environment.
const TARGET: &str = "target/integrations";

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Integration {
    Dask,
    Zarr,
    Burn,
}

impl Integration {
    /// Whether pytest tests it.
    const fn in_python(self) -> bool {
        matches!(self, Self::Dask | Self::Zarr)
    }
}

impl Args {
    /// # Errors
    ///
    /// The arguments contradict each other.
    fn integrations(&self) -> Result<Vec<Integration>> {
        let Self { integration, measure, pytest } = self;
        ensure!(
            !measure || integration.is_none_or(|one| one == Integration::Dask),
            "`--measure` is of dask and zarr at once: name `dask` or nothing beside it"
        );
        ensure!(
            pytest.is_empty() || integration.is_some_and(Integration::in_python),
            "what follows `--` is for the pytest of one: name `dask` or `zarr` before it"
        );
        Ok(match integration {
            Some(one) => vec![*one],
            None if *measure => vec![Integration::Dask],
            None => Integration::value_variants().to_vec(),
        })
    }
}

/// # Errors
///
/// A test fails, or an engine cannot be had.
pub fn run(asked: &Args) -> Result<()> {
    let integrations = asked.integrations()?;
    let root = root()?;
    let python = Python::new(root);
    let mut steps = Steps::new();
    steps.step("drivers", || drivers::ensure(&[Api::Vulkan]))?;
    if integrations.iter().any(|one| one.in_python()) {
        steps.step("python", || python.install())?;
    }
    for integration in integrations {
        match integration {
            Integration::Dask => dask(root, &python, asked, &mut steps)?,
            Integration::Zarr => zarr(root, &python, asked, &mut steps)?,
            Integration::Burn => burn(&mut steps)?,
        }
    }
    steps.summary();
    Ok(())
}

/// The Python module.
fn dask(root: &Path, python: &Python, asked: &Args, steps: &mut Steps) -> Result<()> {
    let dir = root.join("integrations/dask");
    steps.step("dask: build", || {
        let mut build = python.module("maturin", &["develop", "--release", "--locked"]);
        run_command(build.current_dir(&dir).env("CARGO_TARGET_DIR", root.join(TARGET)))
    })?;
    if asked.measure {
        let program = clamp_zarr(root, steps)?;
        let mut measure = python.command();
        measure.arg(dir.join("measure.py")).env("CLAMP_ZARR", program);
        return steps.step("measure", || run_command(&mut measure));
    }
    steps.step("dask: lints", || lints(&INTEGRATIONS, DASK))?;
    // Arguments of pytest select Python tests alone.
    if asked.pytest.is_empty() {
        steps.step("dask: cargo test", || {
            // As maturin builds: the module is not linked to Python.
            let mut tests = INTEGRATIONS.build(&["test", "--package", DASK])?;
            run_command(tests.env("PYO3_BUILD_EXTENSION_MODULE", "1"))
        })?;
    }
    steps.step("dask: tests", || run_command(&mut python.pytest(&dir, &asked.pytest)))
}

/// The program.
fn zarr(root: &Path, python: &Python, asked: &Args, steps: &mut Steps) -> Result<()> {
    let dir = root.join("integrations/zarr");
    let program = clamp_zarr(root, steps)?;
    steps.step("zarr: lints", || lints(&INTEGRATIONS, ZARR))?;
    steps
        .step("zarr: cargo test", || run_command(&mut INTEGRATIONS.build(&["test", "--package", ZARR])?))?;
    steps.step("zarr: tests", || run_command(python.pytest(&dir, &asked.pytest).env("CLAMP_ZARR", &program)))
}

/// Builds the program and returns its path.
fn clamp_zarr(root: &Path, steps: &mut Steps) -> Result<PathBuf> {
    steps.step("zarr: build", || run_command(&mut INTEGRATIONS.build(&["build", "--package", ZARR])?))?;
    let name = format!("{ZARR}{}", std::env::consts::EXE_SUFFIX);
    Ok(root.join(TARGET).join("release").join(name))
}

/// Runs the example, which checks its own results.
fn burn(steps: &mut Steps) -> Result<()> {
    let example = ["run", "--package", BURN];
    steps.step("burn: lints", || lints(&PEERS, BURN))?;
    steps.step("burn: with fusion", || run_command(&mut PEERS.build(&example)?))?;
    steps.step("burn: without fusion", || run_command(PEERS.build(&example)?.arg("--no-default-features")))
}

fn lints(workspace: &Workspace, package: &str) -> Result<()> {
    workspace.format()?;
    workspace.lint_package(package)
}

/// The virtual environment that Dask and Zarr are tested in.
struct Python {
    venv: PathBuf,
    requirements: PathBuf,
}

impl Python {
    fn new(root: &Path) -> Self {
        Self {
            venv: root.join(TARGET).join("venv"),
            requirements: root.join("integrations/dask/requirements.txt"),
        }
    }

    /// Creates the environment if it is missing, and installs what the tests need.
    fn install(&self) -> Result<()> {
        if !succeeds(self.command().args(["-m", "pip", "--version"])) {
            tools::ensure(&[Tool::Venv])?;
            let new_enough = ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"];
            ensure!(
                succeeds(Command::new("python3").args(new_enough)),
                "python3 is older than 3.11, which is needed"
            );
            run_command(Tool::Venv.command().arg("--clear").arg(&self.venv))?;
        }
        let mut install = self.module("pip", &["install", "--quiet", "--disable-pip-version-check", "-r"]);
        run_command(install.arg(&self.requirements))
    }

    /// The environment's interpreter. Programs that it starts find maturin and dask.
    fn command(&self) -> Command {
        let bin = self.venv.join(if cfg!(windows) { "Scripts" } else { "bin" });
        let mut command = Command::new(bin.join("python"));
        command.env("VIRTUAL_ENV", &self.venv);
        command
    }

    fn module(&self, name: &str, args: &[&str]) -> Command {
        let mut command = self.command();
        command.args(["-m", name]).args(args);
        command
    }

    /// Runs pytest in `dir` with `args`.
    fn pytest(&self, dir: &Path, args: &[OsString]) -> Command {
        let mut pytest = self.module("pytest", &[]);
        pytest.current_dir(dir).args(args);
        pytest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::typed;

    #[test]
    fn it_takes_one_or_all() {
        let asked = |line| typed::<Args>(line).unwrap().integrations();
        assert_eq!(asked("").unwrap(), Integration::value_variants());
        assert_eq!(asked("zarr -- -k fork").unwrap(), [Integration::Zarr]);
        assert_eq!(asked("--measure").unwrap(), [Integration::Dask]);
        for line in ["zarr --measure", "burn --measure", "burn -- -k fork", "-- -k fork"] {
            assert!(asked(line).is_err(), "{line}");
        }
    }
}
