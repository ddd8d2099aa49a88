//! `cargo xtask lint`: rustfmt and clippy in every workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use clap::builder::PossibleValuesParser;

use crate::steps::{cargo, root, run as run_command};
use crate::{tools, web};

/// Runs rustfmt and clippy in every workspace of the repository: minutes.
///
/// `test` lints the main one alone.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of one workspace.
    #[arg(value_parser = PossibleValuesParser::new(WORKSPACES.map(|one| one.directory)))]
    workspace: Option<String>,
}

/// Packages that share a lock file.
pub struct Workspace {
    /// From the root of the repository.
    pub directory: &'static str,
    /// Whether others receive what it builds.
    pub published: bool,
    /// The target, if not this machine.
    target: Option<&'static str>,
    /// Flags without which it does not compile.
    rustflags: &'static str,
    /// Whether its command builds it optimised; lints then share that build.
    release: bool,
    /// Features to turn on.
    features: &'static str,
}

/// The defaults: a tool for this machine.
const TOOL: Workspace =
    Workspace { directory: "", published: false, target: None, rustflags: "", release: false, features: "" };

/// The features of the main workspace in every step of `cargo xtask test`, so that nothing is built twice.
pub const FEATURES: &str = "wgpu-clamp/ndarray";

/// All workspaces, the main one first.
pub const WORKSPACES: [Workspace; 6] = [
    Workspace { directory: ".", published: true, features: FEATURES, ..TOOL },
    COMPILERS,
    Workspace { directory: "fuzz", rustflags: "--cfg fuzzing", ..TOOL },
    INTEGRATIONS,
    PEERS,
    WEB,
];

/// The compilers of other vendors, for the shaders.
pub const COMPILERS: Workspace = Workspace { directory: "compilers", ..TOOL };

/// The crate in Dask and Zarr.
pub const INTEGRATIONS: Workspace = Workspace { directory: "integrations", release: true, ..TOOL };

/// The crate beside other libraries, burn among them.
pub const PEERS: Workspace = Workspace { directory: "peers", ..TOOL };

/// The crate on WebGPU: a page that is handed to others, and the tests.
pub const WEB: Workspace = Workspace { directory: "web", published: true, target: Some(web::TARGET), ..TOOL };

/// # Errors
///
/// A file is not as rustfmt would have it, or clippy warns.
pub fn run(Args { workspace }: &Args) -> Result<()> {
    let wanted = |one: &&Workspace| workspace.as_ref().is_none_or(|name| name == one.directory);
    for workspace in WORKSPACES.iter().filter(wanted) {
        println!("\n==== {} ====", workspace.directory);
        workspace.format()?;
        workspace.lint()?;
    }
    Ok(())
}

impl Workspace {
    /// # Errors
    ///
    /// rustfmt would change a file.
    pub fn format(&self) -> Result<()> {
        run_command(&mut self.cargo(&["fmt", "--all", "--check"])?)
    }

    /// Runs clippy on the whole workspace, in the target folder of its other commands.
    ///
    /// # Errors
    ///
    /// Clippy warns, or it does not build.
    pub fn lint(&self) -> Result<()> {
        self.clippy(&["--workspace"])
    }

    /// Runs clippy on one package.
    ///
    /// # Errors
    ///
    /// Clippy warns, or it does not build.
    pub fn lint_package(&self, package: &str) -> Result<()> {
        self.clippy(&["--package", package])
    }

    fn clippy(&self, what: &[&str]) -> Result<()> {
        let mut lints = self.build(&["clippy", "--all-targets"])?;
        lints.args(what);
        if !self.features.is_empty() {
            lints.args(["--features", self.features]);
        }
        if let Some(target) = self.target {
            tools::rust_target(target)?;
            lints.args(["--target", target]);
        }
        if !self.rustflags.is_empty() {
            lints.env("RUSTFLAGS", self.rustflags);
        }
        run_command(lints.args(["--", "-D", "warnings"]))
    }

    /// A building command of cargo, with the workspace's target folder and profile.
    ///
    /// # Errors
    ///
    /// There is no root.
    pub fn build(&self, args: &[&str]) -> Result<Command> {
        let mut command = self.cargo(args)?;
        command.arg("--locked");
        if let Some(target) = self.target_dir() {
            command.arg("--target-dir").arg(target);
        }
        if self.release {
            command.arg("--release");
        }
        Ok(command)
    }

    /// The target folder from the root; `None` for the main workspace.
    fn target_dir(&self) -> Option<PathBuf> {
        (self.directory != ".").then(|| Path::new("target").join(self.directory))
    }

    fn cargo(&self, args: &[&str]) -> Result<Command> {
        let mut command = cargo(args);
        command.arg("--manifest-path").arg(Path::new(self.directory).join("Cargo.toml"));
        command.current_dir(root()?);
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Collects the directories whose Cargo.toml begins a workspace.
    fn workspaces(directory: &Path, found: &mut Vec<String>) {
        let is_one = |text: String| text.lines().any(|line| line == "[workspace]");
        if fs::read_to_string(directory.join("Cargo.toml")).is_ok_and(is_one) {
            let path = directory.strip_prefix(root().unwrap()).unwrap();
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
        workspaces(root().unwrap(), &mut found);
        found.sort();
        let mut listed = WORKSPACES.map(|one| one.directory.trim_start_matches('.'));
        listed.sort_unstable();
        assert_eq!(found, listed);
    }
}
