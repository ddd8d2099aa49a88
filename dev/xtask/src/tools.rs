//! Installs programs below target/ that single commands need.

use std::path::Path;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::packages::{self, NODE, NPM};
use crate::shell::root;

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

/// Installs Node.js if it is missing; refuses an old one.
pub fn node(sh: &Shell) -> Result<()> {
    packages::ensure(&[NODE])?;
    let is_old = "process.exit(Number(Number(process.versions.node.split('.')[0]) < 20))";
    cmd!(sh, "node --eval {is_old}").run().context("the scripts need Node.js 20 or later")
}

/// Installs the packages of dev/xtask/web/package.json into target/web, at the versions of the lock file.
pub fn npm(sh: &Shell) -> Result<()> {
    node(sh)?;
    packages::ensure(&[NPM])?;
    let to = root().join("target/web");
    let [lock, installed] =
        [&root().join("dev/xtask/web"), &to].map(|folder| sh.read_file(folder.join("package-lock.json")));
    let lock = lock?;
    if to.join("node_modules").is_dir() && installed.is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    sh.create_dir(&to)?;
    for file in ["package.json", ".npmrc", "package-lock.json"] {
        sh.copy_file(Path::new("dev/xtask/web").join(file), to.join(file))?;
    }
    let _there = sh.push_dir(&to);
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    // No package may run scripts.
    cmd!(sh, "{npm} ci --ignore-scripts --no-audit --no-fund").run().inspect_err(|_| {
        // Without the lock file, the next run tries again.
        let _ = sh.remove_path("package-lock.json");
    })?;
    Ok(())
}
