//! `cargo xtask deny`: checks the dependencies against `deny.toml`.

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::lint::{WORKSPACES, Workspace};
use crate::shell::shell;
use crate::tools;

/// Checks the dependencies against deny.toml: licences, duplicates, sources and advisories.
///
/// Installs cargo-deny below target/ where it is missing: minutes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Leaves out the advisories, whose database comes from the network.
    #[arg(long)]
    offline: bool,
}

pub fn run(Args { offline }: &Args) -> Result<()> {
    let sh = shell()?;
    tools::cargo(&sh, "cargo-deny")?;
    WORKSPACES.iter().try_for_each(|workspace| check(&sh, workspace))?;
    if *offline {
        println!("not checked: advisories, whose database comes from the network");
        return Ok(());
    }
    deny(&sh, &WORKSPACES[0], &["advisories"])
}

/// Checks the published workspace quickly: only if cargo-deny is installed, and without advisories.
pub fn if_there(sh: &Shell) -> Result<()> {
    if tools::is_there(sh, "cargo-deny") {
        return check(sh, &WORKSPACES[0]);
    }
    println!("not checked: cargo-deny is not installed; `cargo xtask deny` does it");
    Ok(())
}

/// Checks one workspace. In an unpublished workspace, only the dependencies' sources count.
fn check(sh: &Shell, workspace: &Workspace) -> Result<()> {
    let what: &[&str] = if workspace.published { &["bans", "licenses", "sources"] } else { &["sources"] };
    deny(sh, workspace, what)
}

fn deny(sh: &Shell, workspace: &Workspace, what: &[&str]) -> Result<()> {
    let directory = workspace.directory;
    let deny =
        cmd!(sh, "cargo deny --workspace --config deny.toml --manifest-path {directory}/Cargo.toml --locked");
    Ok(deny.arg("check").args(what).run()?)
}
