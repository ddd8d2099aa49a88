//! The commands of this repository, run as `cargo xtask COMMAND`.

#![forbid(unsafe_code)]

mod bench;
mod carry;
mod check;
mod integrations;
mod packages;
mod proof;
mod shell;
mod show;
mod test;
mod tools;
mod web;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use xshell::cmd;

use packages::VULKAN;
use shell::{shell, shell_here};

/// The commands of wgpu-clamp.
///
/// Commands that need a GPU install Mesa's software drivers on a Debian or Ubuntu without a driver. That takes root, or a sudo
/// without a password; otherwise, and on other systems, they print what is missing.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Runs the example `levels` on real pictures.
    Demo {
        /// Arguments of the example; `cargo xtask demo -- --help` shows them.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    Test(test::Args),
    /// Formats, lints and documents, checks the package and the crate for the browser, and runs the examples and the tools'
    /// own tests.
    ///
    /// Stops at the first failure.
    Check,
    Bench(bench::Args),
    Carry(carry::Args),
    Show(show::Args),
    /// Prints the instructions, registers and compile times of every row of the benchmark, as AMD's compiler in Mesa's RADV
    /// makes them for GPUs that are not there.
    Budget {
        /// Arguments of the program, such as `--only TEXT`; `cargo xtask budget -- --help` shows them.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    Proof(proof::Args),
    /// Changes the shaders and the texts of blocks, one small fault at a time, and runs the self-test's cases on the
    /// CPU until a case notices; prints the faults that no case notices.
    ///
    /// Needs no driver. Some minutes.
    Mutants {
        /// Only changes whose file or line contains one of these texts, separated by commas.
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
    },
    Integrations(integrations::Args),
    /// Shows what this machine has of Vulkan and GL, and installs what is missing.
    Drivers,
    /// Builds the page `web/page`, a picture clamped live on WebGPU, and serves it on this machine.
    Web,
}

impl Command {
    fn run(self) -> Result<()> {
        match self {
            Self::Demo { args } => demo(&args),
            Self::Test(args) => test::run(&args),
            Self::Check => check::run(),
            Self::Bench(args) => bench::run(&args),
            Self::Carry(args) => carry::run(&args),
            Self::Show(args) => show::run(&args),
            Self::Budget { args } => show::budget(&args),
            Self::Proof(args) => proof::run(&args),
            Self::Mutants { only } => mutants(&only),
            Self::Integrations(args) => integrations::run(&args),
            Self::Drivers => packages::all_drivers(),
            Self::Web => web::serve(),
        }
    }
}

fn main() -> ExitCode {
    match Command::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn demo(args: &[OsString]) -> Result<()> {
    // Vulkan alone: one API is enough to show the crate, and this may be a stranger's machine.
    if let Err(error) = packages::drivers(&VULKAN) {
        eprintln!(
            "warning: {error:#}\nGoing on: with no GPU adapter at all, the CPU reference does the work."
        );
    }
    let sh = shell_here()?;
    Ok(cmd!(sh, "cargo run --release --package wgpu-clamp --example levels -- {args...}").run()?)
}

fn mutants(only: &str) -> Result<()> {
    let sh = shell()?;
    Ok(cmd!(sh, "cargo run --release --package clamp-mutants -- --only {only}").run()?)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Command::command().debug_assert();
    }

    #[test]
    fn continuous_integration_types_commands_that_there_are() {
        let workflows = [
            include_str!("../../../.github/workflows/ci.yml"),
            include_str!("../../../.github/workflows/weekly.yml"),
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

    #[test]
    fn continuous_integration_and_the_pages_name_the_oldest_rust() {
        let manifest = include_str!("../../../Cargo.toml");
        let ours = manifest.split_once("rust-version = \"").unwrap().1.split_once('"').unwrap().0;
        let workflow = include_str!("../../../.github/workflows/ci.yml");
        assert!(workflow.contains(&format!("rustup toolchain install {ours} ")));
        assert!(include_str!("../../../README.md").contains(&format!("/rust-{ours}+-")));
        assert!(include_str!("../../../CONTRIBUTING.md").contains(&format!("cargo +{ours} check")));
    }

    /// Cargo accepts the name of a missing test and runs none.
    #[test]
    fn tests_that_commands_name_are_there() {
        let [cases, samples] = proof::SANITIZED;
        for (name, file) in [
            (cases, "tests/shaders/cases.rs"),
            (samples, "tests/shaders/cases.rs"),
            (show::SHOW, "src/shader/tests/show.rs"),
        ] {
            let text = std::fs::read_to_string(shell::root().join(file)).unwrap();
            let function = name.rsplit("::").next().unwrap();
            assert!(text.contains(&format!("fn {function}()")), "{name}");
        }
    }
}
