//! The commands of this repository, run as `cargo xtask COMMAND`.

#![forbid(unsafe_code)]

mod bench;
mod cli;
mod demo;
mod deny;
mod drivers;
mod fuzz;
mod machine;
mod mutants;
mod packages;
mod proof;
mod shaders;
mod steps;
mod test;
mod tools;
mod validate;
mod web;

use std::process::ExitCode;

use cli::Task;
use drivers::Api;

fn main() -> ExitCode {
    let task = match cli::parse(std::env::args_os().skip(1)) {
        Ok(task) => task,
        Err(error) => {
            eprintln!("error: {error:#}\n\n`cargo xtask help` explains the commands.");
            return ExitCode::from(2);
        }
    };
    match run(&task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> anyhow::Result<()> {
    match task {
        Task::Help => {
            print!("{}", cli::USAGE);
            Ok(())
        }
        Task::Drivers => drivers::ensure(&[Api::Vulkan, Api::Gl]),
        Task::Demo { args } => demo::run(args),
        Task::Bench { peers, args } => bench::run(*peers, args),
        Task::Shaders { args } => shaders::compile(args),
        Task::Budget { args } => shaders::budget(args),
        Task::Mutants(options) => mutants::run(options),
        Task::Proof(options) => proof::run(options),
        Task::TestBrowser { args } => web::test(args),
        Task::Web => web::serve(),
        Task::Fuzz { target, minutes } => fuzz::run(target.as_deref(), *minutes),
        Task::Test { exhaustive, args } => test::run(*exhaustive, args),
        Task::Validate { args } => validate::run(args),
        Task::Deny { offline } => deny::run(*offline),
    }
}
