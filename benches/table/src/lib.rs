//! Measures the speed of wgpu-clamp on one device against a copy of the same bytes, in one process, and prints one
//! table.
//!
//! The program `clamp-bench` uses this library, and so do programs that add rows of their own.

#![forbid(unsafe_code)]
#![allow(
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "programs of this repository alone use the library, and most errors are a device's"
)]

pub mod bench;
pub mod case;
pub mod clock;
pub mod data;
mod device;
mod dump;
mod elements;
mod first;
mod growth;
mod hand;
mod head;
pub mod kernels;
pub mod options;
mod outcome;
mod overhead;
mod pictures;
mod plain;
pub mod plot;
mod quantised;
mod record;
mod ring;
pub mod row;
mod slices;
mod stats;
mod strided;
mod sweep;
mod table;
mod text;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser as _;

use bench::Bench;
use dump::Dump;
use head::Head;
use options::Options;
use outcome::Outcome;
use row::Row;

/// Makes the rows that a program adds.
pub type More = fn(&Bench) -> Result<Vec<Row>>;

/// Measures what the command line asks for. Fails on a wrong result, never on a slow one.
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
            println!("{}", curve.table());
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

/// Copies the figures of `--json` files into a page and prints the names of their tables.
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
        return plot::cells(path, &title, &dump.layouts);
    }
    plot::ratios(path, &title, &dump.rows)?;
    for curve in &dump.growth {
        let name = path.file_stem().unwrap_or_default().display();
        plot::curve(&path.with_file_name(format!("{name}{}.svg", curve.suffix())), &title, curve)?;
    }
    Ok(())
}

/// The requested rows, in the order of the table.
pub fn rows(bench: &Bench, more: &[More]) -> Result<Vec<Row>> {
    let bytes = usize::try_from(bench.bytes())?;
    let mut rows = elements::rows(bench, bytes)?;
    rows.extend(strided::rows(bytes)?);
    rows.extend(pictures::rows(bytes)?);
    rows.extend(quantised::rows(bytes)?);
    rows.extend(overhead::rows());
    rows.extend(slices::rows(bench));
    for more in more {
        rows.extend(more(bench)?);
    }
    rows.retain(|Row { section, name, dtype, .. }| {
        let dtype = dtype.map_or("", wgpu_clamp::DType::name);
        bench.options.wants(&format!("{section}: {name} {dtype}"))
    });
    Ok(rows)
}

/// Measures one row after the other while there is time. Also returns the number of requested rows.
fn measure(bench: &Bench, more: &[More]) -> Result<(Vec<Outcome>, usize)> {
    let rows = rows(bench, more)?;
    let count = rows.len();
    println!("{}", table::HEAD);
    let title = |row: &Row| format!("{}: {}", row.section, row.name);
    let outcomes = bench.each(rows, title, |row| Ok(Outcome::of(row, bench)), table::line)?;
    Ok((outcomes, count))
}
