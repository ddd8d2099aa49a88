//! Programs that one command alone needs, and getting those that are missing.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::machine::Machine;
use crate::packages::Manager;
use crate::steps::{run, succeeds};

/// A program of a distribution's packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Validates SPIR-V.
    SpirvVal,
    /// Validates GLSL.
    Glslang,
    /// Runs JavaScript.
    Node,
    /// Installs JavaScript.
    Npm,
    /// Fetches wheels.
    Pip,
    /// Makes virtual environments.
    Venv,
}

impl Tool {
    /// What is typed.
    const fn words(self) -> &'static [&'static str] {
        match self {
            Self::SpirvVal => &["spirv-val"],
            Self::Glslang => &["glslangValidator"],
            Self::Node => &["node"],
            Self::Npm => {
                if cfg!(windows) {
                    &["npm.cmd"]
                } else {
                    &["npm"]
                }
            }
            Self::Pip => &["python3", "-m", "pip"],
            Self::Venv => &["python3", "-m", "venv"],
        }
    }

    /// The program, for arguments to follow.
    pub fn command(self) -> Command {
        let words = self.words();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        command
    }

    /// The package that brings it.
    const fn package(self, manager: Manager) -> &'static str {
        match (self, manager) {
            (Self::SpirvVal, _) => "spirv-tools",
            (Self::Glslang, Manager::Apt) => "glslang-tools",
            (Self::Glslang, _) => "glslang",
            (Self::Node, _) => "nodejs",
            (Self::Npm, Manager::Dnf) => "nodejs-npm",
            (Self::Npm, _) => "npm",
            (Self::Pip, Manager::Pacman) => "python-pip",
            (Self::Pip, _) => "python3-pip",
            (Self::Venv, Manager::Apt) => "python3-venv",
            (Self::Venv, Manager::Dnf) => "python3",
            (Self::Venv, Manager::Pacman) => "python",
        }
    }

    fn is_there(self) -> bool {
        match self {
            // Debian's Python has the module, and lacks what the module needs.
            Self::Venv => succeeds(Command::new("python3").args(["-c", "import ensurepip, venv"])),
            _ => succeeds(self.command().arg("--version")),
        }
    }
}

/// Makes sure that `tools` are there, installing what is not.
///
/// # Errors
///
/// One is missing and cannot be installed; the error says what to type.
pub fn ensure(tools: &[Tool]) -> Result<()> {
    let missing: Vec<_> = tools.iter().copied().filter(|tool| !tool.is_there()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let machine = Machine::this();
    let Some(manager) = machine.manager() else {
        let names: Vec<_> = missing.iter().map(|tool| tool.words().join(" ")).collect();
        bail!("missing: {}; what packages bring them here is not known", names.join(", "));
    };
    let packages: Vec<_> = missing.iter().map(|tool| tool.package(manager)).collect();
    manager.install(&packages, machine.root())
}

/// Installs below `to` what the package.json in `from` asks for, at the versions of its lock file, where that was not done
/// before.
///
/// # Errors
///
/// Node.js or npm cannot be had, or npm fails.
pub fn npm(from: &Path, to: &Path) -> Result<()> {
    const LOCK: &str = "package-lock.json";
    ensure(&[Tool::Node, Tool::Npm])?;
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    let lock = fs::read(from.join(LOCK)).with_context(|| from.join(LOCK).display().to_string())?;
    if to.join("node_modules").is_dir() && fs::read(to.join(LOCK)).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    for file in ["package.json", ".npmrc"] {
        fs::copy(from.join(file), to.join(file)).with_context(|| format!("cannot copy {file}"))?;
    }
    fs::write(to.join(LOCK), &lock)?;
    // No script of a package runs.
    let mut install = Tool::Npm.command();
    install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(to);
    run(&mut install).inspect_err(|_| {
        // So that the next run tries again; where even that fails, npm says more the next time.
        let _ = fs::remove_file(to.join(LOCK));
    })
}
