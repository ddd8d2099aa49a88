//! The speed of wgpu-clamp on one device, beside that of a copy of the same bytes: one process, one table.
//!
//! `clamp-bench` is the program; this library is for it, and for programs that add rows of their own.

#![forbid(unsafe_code)]

pub mod bench;
pub mod case;
pub mod clock;
pub mod data;
pub mod device;
mod elements;
pub mod hand;
pub mod head;
pub mod kernels;
pub mod options;
mod overhead;
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
    let head = head::Head::of(&bench)?;
    println!("{}", head.markdown());
    let rows = measure(&bench, more)?;
    println!("\n{}", table::summary(&rows));
    Ok(rows.iter().all(|row| row.verdict != Verdict::Wrong))
}

/// Every row that was asked for, one after the other.
fn measure(bench: &Bench, more: &[More]) -> Result<Vec<Outcome>> {
    let mut rows = elements::rows(bench)?;
    rows.extend(strided::rows(bench)?);
    rows.extend(overhead::rows());
    rows.extend(slices::rows(bench));
    for more in more {
        rows.extend(more(bench)?);
    }
    rows.retain(|row| wanted(row, bench.options.only.as_deref()));
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
