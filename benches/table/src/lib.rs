//! Measures the speed of wgpu-clamp on one device beside a copy of the same bytes and a plain kernel, in one process, and
//! prints one table.
//!
//! `data/cases.txt` lists what is measured. `dev/budget` compiles the same cases.

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
mod head;
pub mod kernels;
mod model;
pub mod options;
mod plain;
mod ring;
pub mod row;
mod set;
mod stats;
mod table;
mod trial;

use anyhow::{Result, ensure};
use serde_json::json;
use wgpu_clamp::{DType, Number};

use bench::Bench;
use options::Options;
use row::Row;

/// Bytes of a tensor whose first result is timed: few, so that compiling takes most of the time.
const SMALL: usize = 1 << 20;

/// Measures or predicts what the command line asks for. Fails on a wrong result, never on a slow one.
pub fn run(options: &Options) -> Result<()> {
    if options.candidates {
        return candidates::run(options);
    }
    if options.model {
        return model::run(options);
    }
    let bench = Bench::open(options.clone())?;
    let head = head::head(&bench)?;
    for (name, value) in &head {
        println!("- {name}: {value}");
    }
    let rows = rows(&bench)?;
    println!("\n{}", table::HEAD);
    let mut outcomes = Vec::new();
    for row in &rows {
        outcomes.push(row.measure(&bench));
        println!("{}", table::line(&outcomes[outcomes.len() - 1]));
        // An interrupted run leaves what it has measured.
        options.write(&json!({ "head": head, "rows": outcomes }))?;
    }
    for (row, outcome) in rows.iter().zip(&mut outcomes).filter(|(_, outcome)| outcome.error.is_none()) {
        row.compare(&bench, outcome);
        if outcome.error.is_some() {
            println!("{}", table::line(outcome));
        }
    }
    options.write(&json!({ "head": head, "rows": outcomes }))?;
    println!("\n{}", table::summary(&outcomes));
    ensure!(outcomes.iter().all(|row| row.error.is_none()), "a result is wrong, see the table");
    Ok(())
}

/// The requested rows, in the order of the table.
fn rows(bench: &Bench) -> Result<Vec<Row>> {
    let of = |bytes| cases::cases(bytes, None, bench.most());
    let (cases, small) = (of(usize::try_from(bench.bytes())?)?, of(SMALL)?);
    let row = |(mut case, small): (case::Case, case::Case)| {
        // Without arithmetic of f64 a device computes with integers, for which there is no goal.
        let computes = case.clamp().dtype() == DType::F64 && case.clamp().scale() != Number::Absent;
        if computes && !bench.device.host.clamper().limits().f64_arithmetic {
            case.goals = [None; 2];
        }
        case.row(small)
    };
    let mut rows: Vec<_> = cases.into_iter().zip(small).map(row).chain(calls::rows()).collect();
    rows.retain(|row| bench.options.wants(&row.title()));
    Ok(rows)
}
