//! `cargo xtask deny`: what the dependencies may be, by `deny.toml`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::cli::{self, Words};
use crate::steps::{cargo, root, run as run_command, succeeds};

/// The command.
pub const COMMAND: cli::Command = cli::Command {
    name: "deny",
    usage: "
    cargo xtask deny [--offline]
        Holds the dependencies to deny.toml: licences, doubles, sources, and security advisories unless
        --offline. Installs cargo-deny below target/ where it is missing (minutes).
",
    task: |words| {
        let offline = is_offline(words)?;
        Ok(Box::new(move || run(offline)))
    },
};

fn is_offline(words: Words) -> Result<bool> {
    match &words.all()[..] {
        [] => Ok(false),
        [option] if option == "--offline" => Ok(true),
        _ => bail!("`deny` takes `--offline` or nothing"),
    }
}

/// The workspaces, and what is checked of each. Nobody is handed the tools, a machine-learning framework among them: what
/// counts there is where they come from.
const WORKSPACES: [(&str, &[&str]); 8] = [
    ("Cargo.toml", &["bans", "licenses", "sources"]),
    ("examples/web/Cargo.toml", &["bans", "licenses", "sources"]),
    ("benches/budget/Cargo.toml", &["sources"]),
    ("benches/peers/Cargo.toml", &["sources"]),
    ("compilers/Cargo.toml", &["sources"]),
    ("fuzz/Cargo.toml", &["sources"]),
    ("integrations/dask/Cargo.toml", &["sources"]),
    ("proof/web/Cargo.toml", &["sources"]),
];

/// Checks the dependencies, installing cargo-deny below `target` where it is missing. The advisories need the network
/// and are left out if `offline`.
///
/// # Errors
///
/// A dependency is not allowed, or cargo-deny cannot be had.
pub fn run(offline: bool) -> Result<()> {
    let root = root()?;
    let tool = if let Some(tool) = tool(root) {
        tool
    } else {
        let mut install = cargo(&["install", "cargo-deny", "--locked", "--root"]);
        run_command(install.arg(root.join("target/tools")))?;
        installed(root)
    };
    WORKSPACES.into_iter().try_for_each(|workspace| check(root, &tool, workspace))?;
    if offline {
        println!("not checked: advisories, whose database comes from the network");
        return Ok(());
    }
    run_command(of(root, &tool, "Cargo.toml").args(["check", "advisories"]))
}

/// The same of what is published, as far as it is quick: with a cargo-deny that is there, and without advisories.
///
/// # Errors
///
/// A dependency is not allowed.
pub fn if_there() -> Result<()> {
    let root = root()?;
    if let Some(tool) = tool(root) {
        check(root, &tool, WORKSPACES[0])
    } else {
        println!("not checked: cargo-deny is not installed; `cargo xtask deny` does it");
        Ok(())
    }
}

/// The user's cargo-deny, or that of this repository.
fn tool(root: &Path) -> Option<PathBuf> {
    let own = installed(root);
    [PathBuf::from("cargo-deny"), own].into_iter().find(|tool| succeeds(Command::new(tool).arg("--version")))
}

fn installed(root: &Path) -> PathBuf {
    root.join("target/tools/bin").join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX))
}

fn check(root: &Path, tool: &Path, (manifest, what): (&str, &[&str])) -> Result<()> {
    run_command(of(root, tool, manifest).arg("--locked").arg("check").args(what))
}

fn of(root: &Path, tool: &Path, manifest: &str) -> Command {
    let mut command = Command::new(tool);
    command.args(["--workspace", "--manifest-path", manifest, "--config", "deny.toml"]).current_dir(root);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_one_option() {
        assert!(!is_offline(Words::typed("")).unwrap());
        assert!(is_offline(Words::typed("--offline")).unwrap());
        assert!(is_offline(Words::typed("licenses")).unwrap_err().to_string().contains("`--offline`"));
    }
}
