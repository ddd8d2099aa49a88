//! The commands of this repository, run as `cargo xtask COMMAND`.

#![forbid(unsafe_code)]

mod carry;
mod check;
mod integrations;
mod packages;
mod platforms;
mod programs;
mod proof;
mod shell;
mod test;
mod tools;
mod web;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

/// The commands of wgpu-clamp.
///
/// Commands that need a GPU install Mesa's software drivers on a Debian or Ubuntu without a driver. That takes root, or a sudo
/// without a password; otherwise, and on other systems, they print what is missing.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    Test(test::Args),
    /// Formats, lints and documents, checks the package and the crate for the browser, and runs the examples and the tools'
    /// own tests.
    ///
    /// Stops at the first failure.
    Check,
    Bench(programs::Bench),
    /// Puts a folder together in target/carry that tries the crate on a machine like this one that has a GPU driver and nothing
    /// else: stripped programs and `run.sh`, which runs each for a limited time and keeps its output.
    ///
    /// Minutes.
    Carry,
    Show(programs::Show),
    /// Prints the instructions, registers and compile times of the benchmark's rows, without its layouts, as AMD's compiler in
    /// Mesa's RADV makes them for GPUs that are not there.
    Budget {
        /// Arguments of the program, such as `--only TEXT`; `cargo xtask budget -- --help` shows them.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    Proof(proof::Args),
    /// Changes the shaders and the texts of pieces, one small fault at a time, and runs the self-test's cases and the samples
    /// on the CPU until one notices; prints the faults that none notices.
    ///
    /// Needs no driver, but 9 GB of memory. Up to an hour.
    Mutants {
        /// Only changes whose file or line contains one of these texts, separated by commas.
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
    },
    /// Turns reports of devices, which `doctor --report` and the page write, into rows of docs/PORTABILITY.md and
    /// benches/RESULTS.md. Refuses reports of another version of the crate.
    Platforms {
        /// Files with reports, such as the text of an issue.
        #[arg(value_name = "REPORT", required = true)]
        reports: Vec<PathBuf>,
    },
    Integrations(integrations::Args),
    /// Shows what this machine has of Vulkan and GL, and installs what is missing.
    Drivers,
    Web(web::Args),
}

impl Command {
    fn run(self) -> Result<()> {
        match self {
            Self::Test(args) => test::run(&args),
            Self::Check => check::run(),
            Self::Bench(args) => programs::bench(&args),
            Self::Carry => carry::run(),
            Self::Show(args) => programs::show(&args),
            Self::Budget { args } => programs::budget(&args),
            Self::Proof(args) => proof::run(&args),
            Self::Mutants { only } => programs::mutants(&only),
            Self::Platforms { reports } => platforms::run(&reports),
            Self::Integrations(args) => integrations::run(&args),
            Self::Drivers => packages::all_drivers(),
            Self::Web(args) => web::run(&args),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuous_integration_types_commands_that_there_are() {
        let workflows = [
            include_str!("../../../.github/workflows/ci.yml"),
            include_str!("../../../.github/workflows/weekly.yml"),
        ];
        for workflow in workflows {
            let commands: Vec<_> =
                workflow.lines().filter_map(|line| line.split_once("cargo xtask ")).collect();
            assert!(commands.len() >= 3);
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

    #[test]
    fn the_rivals_take_a_size_and_nothing_else() {
        let parsed =
            |words: &str| Command::try_parse_from(["xtask", "bench"].into_iter().chain(words.split(' ')));
        let sizes = ["--peers", "--peers 16", "--quick"].map(|words| match parsed(words) {
            Ok(Command::Bench(bench)) => bench.peers,
            other => panic!("{words}: {other:?}"),
        });
        assert_eq!(sizes, [Some(64), Some(16), None]);
        for words in ["--peers x", "--peers 0", "--peers 16MiB"] {
            let error = parsed(words).unwrap_err().to_string();
            assert!(error.contains("give the size of a tensor in MiB, from 1 to 4096"), "{error}");
        }
        for words in ["--peers 16 --quick", "--peers --only f32"] {
            let error = parsed(words).unwrap_err().to_string();
            assert!(error.contains("--peers"), "{error}");
        }
    }

    /// Cargo accepts the name of a missing test and runs none.
    #[test]
    fn tests_that_commands_name_are_there() {
        let [cases, samples] = proof::SANITIZED;
        for (name, file) in [
            (cases, "tests/shaders/cases.rs"),
            (samples, "tests/shaders/cases.rs"),
            (programs::SHOW, "src/shader/tests/show.rs"),
        ] {
            let text = std::fs::read_to_string(shell::root().join(file)).unwrap();
            let function = name.rsplit("::").next().unwrap();
            assert!(text.contains(&format!("fn {function}()")), "{name}");
        }
    }
}
