//! Hands every shader of the crate to the compilers of others. Nothing runs on a GPU.

mod dxc;
mod each;
mod execute;
mod families;
mod hook;
mod khronos;
mod list;
mod naga;
mod options;
mod outcome;
mod tint;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;

use list::List;
use options::Options;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether nothing was refused.
fn run() -> Result<bool> {
    let options = Options::parse();
    if options.child {
        families::child(&options)?;
        return Ok(true);
    }
    let list = List::read(&options.shaders)?;
    let mut outcomes = vec![naga::run(&list)];
    if outcomes[0].failed() {
        println!("{}", outcome::report(&outcomes));
        return Ok(false);
    }
    if options.asks("spirv-val") {
        outcomes.push(khronos::spirv_val(&list));
    }
    if options.asks("glslang") {
        outcomes.push(khronos::glslang(&list));
    }
    if options.asks("tint") {
        outcomes.push(tint::run(&list, options.tint.as_deref(), &options.shaders));
    }
    if options.asks("dxc") {
        outcomes.push(dxc::run(&list, &options));
    }
    if options.asks("execute") {
        outcomes.push(execute::run(&options));
    }
    if options.asks("aco") {
        outcomes.extend(families::run(&list, &options));
    }
    println!("{}", outcome::report(&outcomes));
    Ok(!outcomes.iter().any(outcome::Outcome::failed))
}
