//! Gives every shader of the crate to other compilers. Nothing runs on a GPU.

mod aco;
mod budget;
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
mod translate;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;
use rayon::prelude::*;

use list::List;
use options::{Options, Other};
use outcome::{About, Outcome, Run};

/// A function that asks one compiler.
type Ask = fn(&List, &Options) -> Result<Run>;

/// The compilers of `--only` except AMD's: the name, the description, and the function that asks.
const COMPILERS: [(&str, &About, Ask); 5] = [
    ("spirv-val", &khronos::SPIRV_VAL, khronos::spirv_val),
    ("glslang", &khronos::GLSLANG, khronos::glslang),
    ("tint", &tint::TINT, tint::run),
    ("dxc", &dxc::DXC, dxc::run),
    ("execute", &execute::EXECUTED, execute::run),
];

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

/// Whether no compiler refused a shader. With `budget`, whether no figure has changed.
fn run() -> Result<bool> {
    let options = Options::parse();
    match &options.other {
        Some(Other::Aco) => return aco::serve().map(|()| true),
        Some(Other::Budget(options)) => return budget::run(options),
        None => {}
    }
    let list = List::read(&options.shaders)?;
    // naga writes the files that the other compilers read.
    let mut outcomes = vec![Outcome::of(&naga::NAGA, "", || naga::run(&list))];
    if !outcomes[0].failed() {
        let asked = COMPILERS.iter().filter(|(name, ..)| options.asks(name));
        outcomes.extend(asked.map(|(_, about, ask)| Outcome::of(about, "", || ask(&list, &options))));
        if options.asks("aco") {
            let families = options.families.par_iter();
            let one =
                |name: &String| Outcome::of(&families::ACO, name, || families::run(&list, name, &options));
            outcomes.par_extend(families.map(one));
        }
    }
    println!("{}", outcome::report(&outcomes));
    Ok(!outcomes.iter().any(Outcome::failed))
}
