//! What AMD's compiler makes of every kernel that a row of the benchmark runs, and what a roofline makes of that.
//!
//! Nothing runs on a GPU, and nothing is timed: instructions are counted, so that two runs agree to the last one.

mod figures;
mod options;
mod plot;
mod roofline;
mod rows;
mod table;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;

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

/// Whether the figures are those of the file.
fn run() -> Result<bool> {
    let options = Options::parse();
    if let Some(dir) = &options.compile {
        figures::compile(dir)?;
        return Ok(true);
    }
    let rows = rows::rows(&options)?;
    let figures = figures::of(&rows, &options.families)?;
    for family in &figures.families {
        println!("{}", table::markdown(family, &rows));
    }
    if let Some(path) = &options.plot {
        plot::draw(path, &figures.families[0], &rows)?;
    }
    match (options.write, options.only) {
        (true, _) => figures.write().map(|()| true),
        (false, only) => figures.check(only.is_some()),
    }
}
