//! Runs commands in the root of the repository.

use std::env;
use std::path::Path;

use anyhow::{Context as _, Result};
use xshell::{Cmd, Shell, cmd};

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("dev/xtask is a folder of the repository")
}

/// A shell in the root, which finds programs on the PATH first, then those below target/tools.
pub fn shell() -> Result<Shell> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    let path = env::var_os("PATH").unwrap_or_default();
    let tools = root().join("target/tools/bin");
    sh.set_var("PATH", env::join_paths(env::split_paths(&path).chain([tools]))?);
    Ok(sh)
}

/// A shell in the user's folder, for programs whose arguments are the user's paths.
pub fn shell_here() -> Result<Shell> {
    let sh = shell()?;
    sh.change_dir(env::current_dir()?);
    Ok(sh)
}

/// A building command of cargo in a workspace besides the main one, with a target folder of its own.
pub fn cargo<'sh>(sh: &'sh Shell, workspace: &str, subcommand: &str) -> Cmd<'sh> {
    let root = root();
    let [manifest, target] = [root.join(workspace).join("Cargo.toml"), root.join("target").join(workspace)];
    cmd!(sh, "cargo {subcommand} --manifest-path {manifest} --locked --target-dir {target}")
}

/// The checked-out commit and whether files have changed; "unknown" outside git.
pub fn commit(sh: &Shell) -> String {
    let root = root();
    let describe = cmd!(sh, "git -C {root} describe --always --dirty").ignore_stderr();
    describe.read().unwrap_or_else(|_| "unknown".to_owned())
}

/// Runs one step of a command under a heading.
pub fn step(name: &str, step: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("\n==== {name} ====");
    step().with_context(|| format!("the step `{name}`"))
}
