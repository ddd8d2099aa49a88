//! The command line of `cargo xtask`.

use anyhow::Result;
use clap::Parser;

use crate::{
    bench, demo, deny, drivers, fuzz, integrations, kit, lint, mutants, proof, release, shaders, test,
    validate, web,
};

/// The commands of wgpu-clamp.
///
/// Commands that need a GPU install Mesa's software drivers on a Linux machine without a driver. That takes root, or a
/// sudo without a password; otherwise they print the command to run.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub enum Command {
    Demo(demo::Args),
    Test(test::Args),
    Lint(lint::Args),
    Validate(validate::Args),
    Deny(deny::Args),
    Bench(bench::Args),
    Kit(kit::Args),
    Shaders(shaders::Args),
    Proof(proof::Args),
    Mutants(mutants::Args),
    Fuzz(fuzz::Args),
    Integrations(integrations::Args),
    Release(release::Args),
    /// Shows what this machine has of Vulkan and GL, and installs what is missing.
    Drivers,
    /// Builds the page `web/page`, a picture clamped live on WebGPU, and serves it on this machine.
    Web,
}

impl Command {
    /// # Errors
    ///
    /// Those of the command.
    pub fn run(self) -> Result<()> {
        match self {
            Self::Demo(args) => demo::run(&args),
            Self::Test(args) => test::run(&args),
            Self::Lint(args) => lint::run(&args),
            Self::Validate(args) => validate::run(&args),
            Self::Deny(args) => deny::run(&args),
            Self::Bench(args) => bench::run(&args),
            Self::Kit(args) => kit::run(&args),
            Self::Shaders(args) => shaders::run(&args),
            Self::Proof(args) => proof::run(&args),
            Self::Mutants(args) => mutants::run(&args),
            Self::Fuzz(args) => fuzz::run(&args),
            Self::Integrations(args) => integrations::run(&args),
            Self::Release(args) => release::run(&args),
            Self::Drivers => drivers::ensure(&[drivers::Api::Vulkan, drivers::Api::Gl]),
            Self::Web => web::serve(),
        }
    }
}

/// The arguments of a command, from the words behind its name.
#[cfg(test)]
pub fn typed<T: clap::Args>(line: &str) -> Result<T, clap::Error> {
    let command = T::augment_args(clap::Command::new("xtask").no_binary_name(true));
    T::from_arg_matches(&command.try_get_matches_from(line.split_whitespace())?)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn every_command_says_what_it_does() {
        Command::command().debug_assert();
        let mut command = Command::command();
        command.build();
        for command in command.get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
        }
    }

    #[test]
    fn continuous_integration_types_commands_that_there_are() {
        let workflows = [
            include_str!("../../.github/workflows/ci.yml"),
            include_str!("../../.github/workflows/weekly.yml"),
        ];
        for workflow in workflows {
            let commands: Vec<_> =
                workflow.lines().filter_map(|line| line.split_once("cargo xtask ")).collect();
            assert!(commands.len() >= 4);
            for (_, command) in commands {
                let words = command.trim_end_matches(['"', '\'']).split_whitespace();
                let parsed = Command::try_parse_from(["xtask"].into_iter().chain(words));
                assert!(parsed.is_ok(), "{command}: {parsed:?}");
            }
        }
    }
}
