//! Measures the speed of wgpu-clamp on one device beside a copy of the same bytes and a plain kernel, in one process, and
//! prints one table.
//!
//! `data/cases.txt` lists what is measured. The program `clamp-bench` uses this library, and so do programs that add
//! rows of their own.

#![forbid(unsafe_code)]
#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "programs of this repository alone use the library, and most errors are a device's"
)]

pub mod bench;
mod calls;
mod candidates;
pub mod case;
pub mod cases;
pub mod clock;
pub mod data;
mod device;
mod first;
mod hand;
mod head;
pub mod kernels;
mod model;
mod options;
mod picture;
mod plain;
pub mod row;
mod stats;
mod table;
mod verify;

use std::fs;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;
use wgpu_clamp::{DType, Number};

use bench::Bench;
use case::Case;
use head::Head;
use options::Options;
use row::{Outcome, Row, Verdict};

/// Makes the rows that a program adds.
pub type More = fn(&Bench) -> Result<Vec<Row>>;

/// Measures what the command line asks for. Fails on a wrong result, never on a slow one.
pub fn run(more: &[More]) -> ExitCode {
    match try_run(&Options::parse(), more) {
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
fn try_run(options: &Options, more: &[More]) -> Result<bool> {
    if let Some(n) = options.first_sample {
        return first::sample(options, n).map(|()| true);
    }
    if options.candidates {
        return candidates::run(options).map(|()| true);
    }
    if options.model {
        return model::run(options).map(|()| true);
    }
    let bench = Bench::open(options.clone())?;
    let head = head::head(&bench)?;
    for (name, value) in &head {
        println!("- {name}: {value}");
    }
    let rows = rows(&bench, more)?;
    println!("\n{}", table::HEAD);
    let mut outcomes = bench.measure(&rows)?;
    // Should a driver crash now, the times are there.
    write(options, &head, &outcomes)?;
    let compared = bench.compare(&rows, &mut outcomes);
    write(options, &head, &outcomes)?;
    println!("\n{}", table::summary(&outcomes));
    for (done, of, words) in
        [(outcomes.len(), rows.len(), "measured"), (compared, outcomes.len(), "compared with the reference")]
    {
        if done < of {
            println!("Not all rows: {done} of {of} were {words}, as the time was over.");
        }
    }
    Ok(outcomes.iter().all(|row| row.verdict() != Verdict::Wrong))
}

/// The cases of the table, or with `--layouts` those that users bring, in tensors of about `bytes` bytes.
fn cases_of(options: &Options, bytes: usize, most: u64) -> Result<Vec<Case>> {
    if !options.layouts {
        return cases::table(bytes);
    }
    let section = format!("{} of {}", cases::LAYOUTS, table::size(bytes as u64));
    cases::layouts(&section, bytes, None, most)
}

/// The requested rows, in the order of the table.
fn rows(bench: &Bench, more: &[More]) -> Result<Vec<Row>> {
    let mut sizes = vec![bench.bytes()];
    if let Options { layouts: true, size: None, quick, .. } = bench.options {
        // 16 MiB fit into a CPU's cache, so that no instruction hides behind memory; 64 MiB do not fit. A GPU gets four
        // times as much.
        let times = if bench.device.is_cpu() { 1 } else { 4 };
        sizes = vec![times * (16 << 20)];
        sizes.extend((!quick).then_some(times * (64 << 20)));
    }
    let mut rows = Vec::new();
    for bytes in sizes {
        let mut cases = cases_of(&bench.options, usize::try_from(bytes)?, bench.most())?;
        for case in &mut cases {
            // Without arithmetic of f64 a device computes with integers, for which there is no goal.
            let computes = case.clamp().dtype() == DType::F64 && case.clamp().scale() != Number::Absent;
            if computes && !bench.device.host.clamper().limits().f64_arithmetic {
                case.goals = [None; 2];
            }
        }
        rows.extend(cases.into_iter().enumerate().map(|(n, case)| Row { case: Some(n), ..case.row() }));
    }
    if !bench.options.layouts {
        rows.extend(calls::rows());
        for more in more {
            rows.extend(more(bench)?);
        }
    }
    rows.retain(|row| bench.options.wants(&row.title()));
    Ok(rows)
}

/// Writes the requested files.
fn write(options: &Options, head: &Head, rows: &[Outcome]) -> Result<()> {
    if let Some(path) = &options.json {
        fs::write(path, serde_json::to_string_pretty(&serde_json::json!({ "head": head, "rows": rows }))?)?;
    }
    let Some(path) = &options.plot else { return Ok(()) };
    let below: Vec<_> =
        head.iter().filter(|(name, _)| ["adapter", "driver", "commit", "date"].contains(name)).collect();
    picture::draw(path, &below.iter().map(|(_, value)| &value[..]).collect::<Vec<_>>().join(", "), rows)
}
