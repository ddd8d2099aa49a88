//! Installs programs below target/ that single commands need.

use std::path::Path;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::packages::{self, NODE};

/// A version of cargo-nextest that the library's oldest Rust can build.
const NEXTEST: &str = "0.9.114";

/// Whether a program starts, on the PATH or below target/tools.
pub fn is_there(sh: &Shell, program: &str) -> bool {
    let subcommand = program.strip_prefix("cargo-");
    cmd!(sh, "{program} {subcommand...} --version").ignore_stdout().ignore_stderr().quiet().run().is_ok()
}

/// Has cargo build cargo-nextest into target/tools, where [`crate::shell::shell`] finds it, unless there is one already.
pub fn nextest(sh: &Shell) -> Result<()> {
    if is_there(sh, "cargo-nextest") {
        return Ok(());
    }
    Ok(cmd!(sh, "cargo install cargo-nextest --version {NEXTEST} --locked --root target/tools").run()?)
}

/// Adds a missing target to the Rust toolchain.
pub fn rust_target(sh: &Shell, target: &str) -> Result<()> {
    if has_target(sh, target) {
        return Ok(());
    }
    let add = cmd!(sh, "rustup target add {target}");
    add.run().with_context(|| format!("the Rust toolchain lacks the target {target}"))
}

/// Whether the Rust toolchain has a target.
pub fn has_target(sh: &Shell, target: &str) -> bool {
    let libdir = cmd!(sh, "rustc --print target-libdir --target {target}").ignore_stderr().read();
    libdir.is_ok_and(|libdir| Path::new(&libdir).exists())
}

/// Installs Node.js if it is missing, and the packages of dev/xtask/web/package.json at the versions of the lock file.
pub fn npm(sh: &Shell) -> Result<()> {
    packages::ensure(&NODE)?;
    let _there = sh.push_dir("dev/xtask/web");
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    // No package may run scripts.
    Ok(cmd!(sh, "{npm} install --ignore-scripts --no-audit --no-fund").run()?)
}
