//! Installs programs that single commands need.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::machine::Machine;
use crate::packages::Manager;
use crate::steps::{cargo, run, succeeds};

/// A program that distributions package.
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
    /// Puts a Debian into a folder.
    Debootstrap,
    /// Links programs for Windows.
    Mingw,
}

impl Tool {
    /// The words of the command.
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
            // Often not on the PATH of users.
            Self::Debootstrap => &["/usr/sbin/debootstrap"],
            Self::Mingw => &["x86_64-w64-mingw32-gcc"],
        }
    }

    /// The program, for arguments to follow.
    pub fn command(self) -> Command {
        let words = self.words();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        command
    }

    /// Its package.
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
            (Self::Debootstrap, _) => "debootstrap",
            (Self::Mingw, Manager::Apt) => "gcc-mingw-w64-x86-64",
            (Self::Mingw, Manager::Dnf) => "mingw64-gcc",
            (Self::Mingw, Manager::Pacman) => "mingw-w64-gcc",
        }
    }

    fn is_there(self) -> bool {
        match self {
            // Debian's Python has the module without its dependencies.
            Self::Venv => succeeds(Command::new("python3").args(["-c", "import ensurepip, venv"])),
            _ => succeeds(self.command().arg("--version")),
        }
    }
}

/// Installs those of `tools` that are missing.
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

/// A part of Chromium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chromium {
    /// The browser.
    Browser,
    /// The driver inside Chromium.
    SwiftShader,
}

/// Installs Chromium's package with this part.
///
/// # Errors
///
/// It is not known, or cannot be installed; the error says what to type.
pub fn chromium(part: Chromium) -> Result<()> {
    let machine = Machine::this();
    let manager = machine.manager().context("what package brings Chromium here is not known")?;
    let package = match (part, manager) {
        (Chromium::SwiftShader, Manager::Apt) => "chromium-common",
        _ => "chromium",
    };
    manager.install(&[package], machine.root())
}

/// The path of a program that cargo installs below `tools`.
pub fn of_cargo(tools: &Path, program: &str) -> PathBuf {
    tools.join("bin").join(format!("{program}{}", std::env::consts::EXE_SUFFIX))
}

/// Has cargo install a program below `tools` unless it runs already; `what` is the package with options. Returns its
/// path.
///
/// # Errors
///
/// Cargo fails.
pub fn cargo_install(tools: &Path, program: &str, what: &[&str]) -> Result<PathBuf> {
    let path = of_cargo(tools, program);
    // Some programs insist on the subcommand's name, as cargo passes it.
    let subcommand = program.strip_prefix("cargo-");
    if !succeeds(Command::new(&path).args(subcommand).arg("--version")) {
        run(cargo(&["install"]).args(what).arg("--root").arg(tools))?;
    }
    Ok(path)
}

/// Adds a missing target to the Rust toolchain.
///
/// # Errors
///
/// There is no rustup, or it cannot; the error says what to type.
pub fn rust_target(target: &str) -> Result<()> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let libdir = Command::new(rustc).args(["--print", "target-libdir", "--target", target]).output();
    let has = libdir.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).exists());
    if !has && run(Command::new("rustup").args(["target", "add", target])).is_err() {
        bail!(
            "the Rust toolchain lacks the target {target}. With rustup:\n\n    rustup target add {target}\n"
        );
    }
    Ok(())
}

/// The oldest version of Node.js that runs the scripts.
const NODE: u32 = 20;

/// Installs Node.js if it is missing; refuses an old one.
///
/// # Errors
///
/// It is missing and cannot be installed, or older; the error says what is needed.
pub fn node() -> Result<()> {
    ensure(&[Tool::Node])?;
    let output = Tool::Node.command().arg("--version").output()?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if major(&version).is_none_or(|major| major < NODE) {
        bail!("the scripts need Node.js {NODE} or later, and `node` is {version}");
    }
    Ok(())
}

/// The major version in Node.js' own words.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Installs the packages of `from`'s package.json below `to`, at the versions of the lock file, unless they are there.
///
/// # Errors
///
/// Node.js or npm cannot be had, Node.js is too old, or npm fails.
pub fn npm(from: &Path, to: &Path) -> Result<()> {
    const LOCK: &str = "package-lock.json";
    node()?;
    ensure(&[Tool::Npm])?;
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    let lock = fs::read(from.join(LOCK)).with_context(|| from.join(LOCK).display().to_string())?;
    if to.join("node_modules").is_dir() && fs::read(to.join(LOCK)).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    for file in ["package.json", ".npmrc"] {
        fs::copy(from.join(file), to.join(file)).with_context(|| format!("cannot copy {file}"))?;
    }
    fs::write(to.join(LOCK), &lock)?;
    // Packages run no scripts.
    let mut install = Tool::Npm.command();
    install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(to);
    run(&mut install).inspect_err(|_| {
        // The next run tries again.
        let _ = fs::remove_file(to.join(LOCK));
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_node_is_read() {
        for (version, expected) in
            [("v20.11.1", Some(20)), ("v9.0.0", Some(9)), ("v22", Some(22)), ("20.1", None), ("", None)]
        {
            assert_eq!(major(version), expected, "{version:?}");
        }
    }

    #[test]
    fn a_program_that_is_there_is_not_installed() {
        let cargo = PathBuf::from(env!("CARGO"));
        // A toolchain keeps its programs in `bin` too.
        let tools = cargo.parent().unwrap().parent().unwrap();
        assert_eq!(cargo_install(tools, "cargo", &["no such package"]).unwrap(), cargo);
    }
}
