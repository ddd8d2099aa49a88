//! Measures the speed of wgpu-clamp on one device against a copy of the same bytes, in one process, and prints one
//! table.
//!
//! The program `clamp-bench` uses this library, and so do programs that add rows of their own.

#![forbid(unsafe_code)]

pub mod bench;
pub mod case;
pub mod clock;
mod curves;
pub mod data;
pub mod device;
mod dump;
mod elements;
pub mod first;
pub mod growth;
pub mod hand;
pub mod head;
pub mod kernels;
pub mod options;
mod overhead;
mod pictures;
mod plain;
mod plot;
mod quantised;
mod record;
pub mod ring;
pub mod row;
mod slices;
pub mod stats;
mod strided;
pub mod sweep;
pub mod table;
pub mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser as _;

use bench::Bench;
use dump::Dump;
use head::Head;
use options::Options;
use row::{Outcome, Row};

/// Makes the rows that a program adds.
pub type More = fn(&Bench) -> Result<Vec<Row>>;

/// Measures what the command line asks for. Fails on a wrong result, never on a slow one.
#[must_use]
pub fn run(more: &[More]) -> ExitCode {
    match try_run(more) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("error: a result is wrong, see the table");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// As [`run`]; returns whether all results are right.
fn try_run(more: &[More]) -> Result<bool> {
    let options = Options::parse();
    if !options.from.is_empty() {
        return take(&options.from, &options.into).map(|()| true);
    }
    if let Some((job, side)) = options.first_sample {
        return first::sample(job, side).map(|()| true);
    }
    let bench = Bench::open(options)?;
    let mut dump = Dump { head: Head::of(&bench)?, ..Dump::default() };
    println!("{}", dump.head.markdown());
    let count;
    if bench.options.layouts {
        (dump.layouts, count) = sweep::measure(&bench)?;
        println!("\n{}", sweep::summary(&dump.layouts));
    } else if bench.options.first {
        (dump.first, count) = first::measure(&bench)?;
    } else {
        (dump.rows, count) = measure(&bench, more)?;
        println!("\n{}\n", table::summary(&dump.rows));
        dump.growth = if bench.options.growth { growth::curves(&bench)? } else { Vec::new() };
        for curve in &dump.growth {
            println!("{}", curves::table(curve));
        }
    }
    dump.left_out = left_out(&bench.options, dump.layouts.len() + dump.first.len() + dump.rows.len(), count);
    if let Some(why) = &dump.left_out {
        println!("Not all rows: {why}.");
    }
    write(&bench.options, &dump)?;
    Ok(dump.is_right())
}

/// Why rows are missing, where `measured` of `count` requested rows were measured.
fn left_out(options: &Options, measured: usize, count: usize) -> Option<String> {
    match (&options.only, options.minutes) {
        (_, Some(minutes)) if measured < count => {
            Some(format!("{measured} of {count} were measured within {minutes} minutes"))
        }
        (Some(only), _) => Some(format!("those that contain `{only}`")),
        _ => None,
    }
}

/// Takes files of `--json` into a page and prints the names of their tables.
fn take(files: &[PathBuf], page: &Path) -> Result<()> {
    for file in files {
        let names = record::record(&Dump::read(file)?, page).with_context(|| file.display().to_string())?;
        println!("{}: {}", page.display(), names.join(", "));
    }
    Ok(())
}

/// Writes the requested files.
fn write(options: &Options, dump: &Dump) -> Result<()> {
    if let Some(path) = &options.json {
        dump.write(path)?;
    }
    let Some(path) = &options.plot else { return Ok(()) };
    let title = dump.head.title();
    if options.layouts {
        return sweep::draw(path, &title, &dump.layouts);
    }
    plot::ratios(path, &title, &dump.rows)?;
    for curve in &dump.growth {
        let name = path.file_stem().unwrap_or_default().display();
        curves::draw(&path.with_file_name(format!("{name}{}.svg", curve.suffix())), &title, curve)?;
    }
    Ok(())
}

/// The requested rows, in the order of the table.
///
/// # Errors
///
/// A tensor of the requested size is not possible.
pub fn rows(bench: &Bench, more: &[More]) -> Result<Vec<Row>> {
    let mut rows = elements::rows(bench)?;
    rows.extend(strided::rows(bench)?);
    rows.extend(pictures::rows(bench)?);
    rows.extend(quantised::rows(bench)?);
    rows.extend(overhead::rows());
    rows.extend(slices::rows(bench));
    for more in more {
        rows.extend(more(bench)?);
    }
    rows.retain(|row| bench.options.wants(&description(row)));
    Ok(rows)
}

/// Measures one row after the other while there is time. Also returns the number of requested rows.
fn measure(bench: &Bench, more: &[More]) -> Result<(Vec<Outcome>, usize)> {
    let rows = rows(bench, more)?;
    let count = rows.len();
    let bar = bench::progress(count);
    println!("{}", table::HEAD);
    let measured = rows.into_iter().take_while(|_| !bench.time_is_over()).map(|row| {
        bar.set_message(format!("{}: {}", row.section, row.name));
        let outcome = bench.measure(row);
        // Each row is printed at once, so that an interrupted run leaves its results.
        bar.suspend(|| println!("{}", table::line(&outcome)));
        bar.inc(1);
        outcome
    });
    let outcomes = measured.collect();
    bar.finish_and_clear();
    Ok((outcomes, count))
}

fn description(row: &Row) -> String {
    format!("{}: {} {}", row.section, row.name, row.dtype.map_or("", wgpu_clamp::DType::name))
}
