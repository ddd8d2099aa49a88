//! The speed of wgpu-clamp on one device, beside that of a copy of the same bytes: one process, one table.
//!
//! `clamp-bench` is the program; this library is for it, and for programs that add rows of their own.

#![forbid(unsafe_code)]

pub mod bench;
pub mod case;
pub mod clock;
mod curves;
pub mod data;
pub mod device;
mod dump;
mod elements;
pub mod growth;
pub mod hand;
pub mod head;
pub mod kernels;
pub mod options;
mod overhead;
mod pictures;
mod plain;
mod plot;
pub mod ring;
pub mod row;
mod slices;
pub mod stats;
mod strided;
pub mod table;
pub mod verify;

use std::process::ExitCode;

use anyhow::Result;

use bench::Bench;
use dump::Dump;
use growth::Curve;
use head::Head;
use options::{Options, USAGE};
use row::{Outcome, Row, Verdict};

/// Rows that a program adds.
pub type More = fn(&Bench) -> Result<Vec<Row>>;

/// Measures what the command line asks for. Failure is a wrong result, never a slow one.
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

/// Whether all results are right.
fn try_run(more: &[More]) -> Result<bool> {
    let options = Options::parse(std::env::args_os().skip(1))?;
    if options.help {
        print!("{USAGE}");
        return Ok(true);
    }
    let bench = Bench::open(options)?;
    let head = Head::of(&bench)?;
    println!("{}", head.markdown());
    let rows = measure(&bench, more)?;
    println!("\n{}\n", table::summary(&rows));
    let curves = if bench.options.growth { growth::curves(&bench)? } else { Vec::new() };
    for curve in &curves {
        println!("{}", curves::table(curve));
    }
    write(&bench, &head, &rows, &curves)?;
    let wrong = rows.iter().any(|row| row.verdict == Verdict::Wrong)
        || curves.iter().flat_map(|curve| &curve.points).any(|point| point.error.is_some());
    Ok(!wrong)
}

/// The files that were asked for.
fn write(bench: &Bench, head: &Head, rows: &[Outcome], curves: &[Curve]) -> Result<()> {
    if let Some(path) = &bench.options.json {
        Dump { head, rows, growth: curves }.write(path)?;
    }
    if let Some(path) = &bench.options.plot {
        plot::ratios(path, &head.title(), rows)?;
        for curve in curves {
            let name = path.file_stem().unwrap_or_default().display();
            let file = path.with_file_name(format!("{name}-{}.svg", curve.over.replace(' ', "-")));
            curves::draw(&file, &head.title(), curve)?;
        }
    }
    Ok(())
}

/// The rows that were asked for, in the order of the table.
///
/// # Errors
///
/// A tensor of the size that was asked for cannot be.
pub fn rows(bench: &Bench, more: &[More]) -> Result<Vec<Row>> {
    let mut rows = elements::rows(bench)?;
    rows.extend(strided::rows(bench)?);
    rows.extend(pictures::rows(bench)?);
    rows.extend(overhead::rows());
    rows.extend(slices::rows(bench));
    for more in more {
        rows.extend(more(bench)?);
    }
    rows.retain(|row| wanted(row, bench.options.only.as_deref()));
    Ok(rows)
}

/// One after the other.
fn measure(bench: &Bench, more: &[More]) -> Result<Vec<Outcome>> {
    let rows = rows(bench, more)?;
    let bar = bench::progress(rows.len());
    println!("{}", table::HEAD);
    let measured = rows.into_iter().map(|row| {
        bar.set_message(format!("{}: {}", row.section, row.name));
        let outcome = bench.measure(row);
        // At once: a run that is cut short has said what it found.
        bar.suspend(|| println!("{}", table::line(&outcome)));
        bar.inc(1);
        outcome
    });
    let outcomes = measured.collect();
    bar.finish_and_clear();
    Ok(outcomes)
}

fn wanted(row: &Row, only: Option<&str>) -> bool {
    let text = format!("{}: {} {}", row.section, row.name, row.dtype.map_or("", wgpu_clamp::DType::name));
    only.is_none_or(|only| text.to_lowercase().contains(only))
}
