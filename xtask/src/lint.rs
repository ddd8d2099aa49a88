//! `cargo xtask lint`: rustfmt and clippy in every workspace.

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use xshell::{Cmd, Shell, cmd};

use crate::shell::shell;
use crate::{tools, web};

/// Runs rustfmt and clippy in every workspace of the repository: minutes.
///
/// `test` lints the main workspace alone.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of one workspace.
    #[arg(value_parser = PossibleValuesParser::new(WORKSPACES.map(|one| one.directory)))]
    workspace: Option<String>,
}

/// Packages that share a lock file.
pub struct Workspace {
    /// The folder, from the root of the repository.
    pub directory: &'static str,
    /// Whether others receive what it builds.
    pub published: bool,
    /// The target, if not this machine.
    target: Option<&'static str>,
    /// Flags without which it does not compile.
    rustflags: Option<&'static str>,
    /// Whether its command builds it optimised; lints then share that build.
    release: bool,
    /// Features to turn on.
    features: Option<&'static str>,
}

/// The defaults: a tool for this machine.
const TOOL: Workspace = Workspace {
    directory: "",
    published: false,
    target: None,
    rustflags: None,
    release: false,
    features: None,
};

/// The features of the main workspace in every step of `cargo xtask test`, so that nothing is built twice.
pub const FEATURES: &str = "wgpu-clamp/ndarray";

/// All workspaces, the main one first.
pub const WORKSPACES: [Workspace; 5] = [
    Workspace { directory: ".", published: true, features: Some(FEATURES), ..TOOL },
    Workspace { directory: "fuzz", rustflags: Some("--cfg fuzzing"), ..TOOL },
    INTEGRATIONS,
    PEERS,
    WEB,
];

/// The crate in Dask.
pub const INTEGRATIONS: Workspace = Workspace { directory: "integrations", release: true, ..TOOL };

/// The crate beside other libraries, burn among them.
pub const PEERS: Workspace = Workspace { directory: "peers", ..TOOL };

/// The crate on WebGPU: a page that is handed to others, and the tests.
pub const WEB: Workspace = Workspace { directory: "web", published: true, target: Some(web::TARGET), ..TOOL };

pub fn run(Args { workspace }: &Args) -> Result<()> {
    let sh = shell()?;
    let wanted = |one: &&Workspace| workspace.as_ref().is_none_or(|name| name == one.directory);
    for workspace in WORKSPACES.iter().filter(wanted) {
        println!("\n==== {} ====", workspace.directory);
        workspace.format(&sh)?;
        workspace.lint(&sh, &["--workspace"])?;
    }
    Ok(())
}

impl Workspace {
    pub fn format(&self, sh: &Shell) -> Result<()> {
        let directory = self.directory;
        Ok(cmd!(sh, "cargo fmt --manifest-path {directory}/Cargo.toml --all --check").run()?)
    }

    /// Runs clippy on `packages`, in the target folder of the workspace's other commands.
    pub fn lint(&self, sh: &Shell, packages: &[&str]) -> Result<()> {
        let features = self.features.iter().flat_map(|features| ["--features", *features]);
        let mut lints = self.cargo(sh, "clippy").args(packages).arg("--all-targets").args(features);
        if let Some(target) = self.target {
            tools::rust_target(sh, target)?;
            lints = lints.args(["--target", target]);
        }
        if let Some(flags) = self.rustflags {
            lints = lints.env("RUSTFLAGS", flags);
        }
        Ok(lints.args(["--", "-D", "warnings"]).run()?)
    }

    /// A building command of cargo, with the workspace's target folder and profile.
    pub fn cargo<'sh>(&self, sh: &'sh Shell, subcommand: &str) -> Cmd<'sh> {
        let Self { directory, release, .. } = self;
        let mut command = cmd!(sh, "cargo {subcommand} --manifest-path {directory}/Cargo.toml --locked");
        if *directory != "." {
            command = command.arg("--target-dir").arg(format!("target/{directory}"));
        }
        if *release { command.arg("--release") } else { command }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::shell::root;

    /// Collects the directories whose Cargo.toml begins a workspace.
    fn workspaces(directory: &Path, found: &mut Vec<String>) {
        let is_one = |text: String| text.lines().any(|line| line == "[workspace]");
        if fs::read_to_string(directory.join("Cargo.toml")).is_ok_and(is_one) {
            let path = directory.strip_prefix(root()).unwrap();
            found.push(path.to_str().unwrap().replace('\\', "/"));
        }
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if entry.file_type().unwrap().is_dir() && name != "target" && !name.starts_with('.') {
                workspaces(&entry.path(), found);
            }
        }
    }

    #[test]
    fn every_workspace_is_listed() {
        let mut found = Vec::new();
        workspaces(root(), &mut found);
        found.sort();
        let mut listed = WORKSPACES.map(|one| one.directory.trim_start_matches('.'));
        listed.sort_unstable();
        assert_eq!(found, listed);
    }
}
