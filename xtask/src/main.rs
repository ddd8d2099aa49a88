//! The commands of this repository, run as `cargo xtask COMMAND`.

#![forbid(unsafe_code)]

mod bench;
mod cli;
mod demo;
mod deny;
mod drivers;
mod fuzz;
mod integrations;
mod kit;
mod lint;
mod machine;
mod manifest;
mod msrv;
mod mutants;
mod packages;
mod packed;
mod proof;
mod release;
mod shaders;
mod steps;
mod test;
mod tools;
mod validate;
mod web;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match cli::Command::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
