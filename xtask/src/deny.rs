//! `cargo xtask deny`: checks the dependencies against `deny.toml`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::lint::{WORKSPACES, Workspace};
use crate::steps::{root, run as run_command, succeeds};
use crate::tools;

/// Holds the dependencies to deny.toml: licences, doubles, sources and advisories.
///
/// Installs cargo-deny below target/ where it is missing: minutes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Leaves out the advisories, whose database comes from the network.
    #[arg(long)]
    offline: bool,
}

/// # Errors
///
/// A dependency is not allowed, or cargo-deny cannot be had.
pub fn run(Args { offline }: &Args) -> Result<()> {
    let root = root()?;
    let tool = if let Some(tool) = tool(root) {
        tool
    } else {
        tools::cargo_install(&root.join("target/tools"), "cargo-deny", &["cargo-deny", "--locked"])?
    };
    WORKSPACES.iter().try_for_each(|workspace| check(root, &tool, workspace))?;
    if *offline {
        println!("not checked: advisories, whose database comes from the network");
        return Ok(());
    }
    run_command(of(root, &tool, &WORKSPACES[0]).args(["check", "advisories"]))
}

/// Checks the published workspace quickly: only if cargo-deny is installed, and without advisories.
///
/// # Errors
///
/// A dependency is not allowed.
pub fn if_there() -> Result<()> {
    let root = root()?;
    if let Some(tool) = tool(root) {
        check(root, &tool, &WORKSPACES[0])
    } else {
        println!("not checked: cargo-deny is not installed; `cargo xtask deny` does it");
        Ok(())
    }
}

/// The user's cargo-deny, or the one below target/.
fn tool(root: &Path) -> Option<PathBuf> {
    let own = tools::of_cargo(&root.join("target/tools"), "cargo-deny");
    [PathBuf::from("cargo-deny"), own].into_iter().find(|tool| succeeds(Command::new(tool).arg("--version")))
}

/// Checks one workspace. Of workspaces that are not published, only the sources of dependencies count.
fn check(root: &Path, tool: &Path, workspace: &Workspace) -> Result<()> {
    let what: &[&str] = if workspace.published { &["bans", "licenses", "sources"] } else { &["sources"] };
    run_command(of(root, tool, workspace).arg("--locked").arg("check").args(what))
}

fn of(root: &Path, tool: &Path, workspace: &Workspace) -> Command {
    let mut command = Command::new(tool);
    command.args(["--workspace", "--config", "deny.toml", "--manifest-path"]);
    command.arg(Path::new(workspace.directory).join("Cargo.toml")).current_dir(root);
    command
}
