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

use figures::Family;
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
    if options.child {
        return clamp_compilers::aco::serve().map(|()| true);
    }
    let rows = rows::rows(&options)?;
    let families = options.families.iter().map(|name| Family::of(name, &rows)).collect::<Result<Vec<_>>>()?;
    for family in &families {
        println!("{}", table::markdown(family, &rows));
    }
    if let Some(path) = &options.plot {
        plot::draw(path, &families[0], &rows)?;
    }
    if options.write {
        return figures::write(&families).map(|()| true);
    }
    figures::check(&families, options.only.is_some())
}
