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
mod candidates;
pub mod case;
pub mod clock;
pub mod data;
mod device;
mod dump;
mod elements;
mod first;
mod hand;
mod head;
mod kernels;
mod model;
pub mod options;
mod outcome;
mod overhead;
mod pictures;
mod plain;
mod plot;
mod quantised;
mod ring;
pub mod row;
mod slices;
mod stats;
mod strided;
mod sweep;
mod table;
mod text;
mod verify;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;

use bench::Bench;
use dump::Dump;
use head::Head;
use options::Options;
use outcome::{Outcome, Verdict};
use row::Row;

/// Number of the sweep's worst rows that are printed again.
const WORST: usize = 5;

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
    if let Some((job, side)) = options.first_sample {
        return first::sample(job, side).map(|()| true);
    }
    if options.candidates {
        return candidates::run(options).map(|()| true);
    }
    if options.model {
        return model::run(&options).map(|()| true);
    }
    let bench = Bench::open(options)?;
    let mut dump = Dump { head: Head::of(&bench)?, ..Dump::default() };
    println!("{}", dump.head.markdown());
    let count;
    if bench.options.layouts {
        (dump.layouts, count) = sweep::measure(&bench)?;
    } else if bench.options.first {
        (dump.first, count) = first::measure(&bench)?;
    } else {
        (dump.rows, count) = measure(&bench, more)?;
    }
    for ((clock, _), share) in dump.marks().zip(bench.clocks()) {
        *clock = share;
    }
    let rows = [dump.layouts.len() + dump.first.len() + dump.rows.len(), count];
    let results = dump.marks().count();
    dump.left_out = left_out(&bench.options, rows, [0, results]);
    if !bench.options.unchecked {
        // Should a driver crash now, the times are there.
        write(&bench.options, &dump)?;
        let compared = bench.compare(dump.marks().map(|(_, error)| error));
        dump.left_out = left_out(&bench.options, rows, [compared, results]);
        for row in dump.rows.iter_mut().filter(|row| row.error.is_some()) {
            row.verdict = Verdict::Wrong;
        }
    }
    if bench.options.layouts {
        println!("\n{}\n{}", sweep::summary(&dump.layouts), sweep::worst(&dump.layouts, WORST));
    } else if bench.options.first {
        println!("\n{}\n", first::summary(&dump.first));
    } else {
        println!("\n{}\n\n{}", table::summary(&dump.rows), table::sections(&dump.rows));
    }
    let down = dump.marks().filter(|(clock, _)| clock.is_some_and(|share| !clock::is_up(share))).count();
    if down > 0 {
        println!("The clock was down in {down} of {results} rows.");
    }
    if let Some(why) = &dump.left_out {
        println!("Not all rows: {why}.");
    }
    write(&bench.options, &dump)?;
    Ok(dump.is_right())
}

/// Why rows are missing, or results that nothing compared: how many rows were measured, of how many requested, and how
/// many of the results were compared.
fn left_out(
    options: &Options,
    [measured, count]: [usize; 2],
    [compared, results]: [usize; 2],
) -> Option<String> {
    let rows = match (&options.only, options.minutes) {
        (_, Some(minutes)) if measured < count => {
            Some(format!("{measured} of {count} were measured within {minutes} minutes"))
        }
        (Some(only), _) => Some(format!("those that contain `{only}`")),
        _ => None,
    };
    let results = (compared < results).then(|| format!("{compared} of {results} results were compared"));
    let reasons: Vec<_> = rows.into_iter().chain(results).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
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
    plot::ratios(path, &title, &dump.rows)
}

/// The rows of tensors of about `bytes` bytes. `has_f64`: whether the device computes in f64.
pub fn cases(has_f64: bool, bytes: usize) -> Result<Vec<Row>> {
    let mut rows = elements::rows(has_f64, bytes)?;
    rows.extend(strided::rows(bytes)?);
    rows.extend(pictures::rows(bytes)?);
    rows.extend(quantised::rows(bytes)?);
    Ok(rows)
}

/// The requested rows, in the order of the table.
fn rows(bench: &Bench, more: &[More]) -> Result<Vec<Row>> {
    let has_f64 = bench.device.wgpu().features().contains(wgpu_clamp::wgpu::Features::SHADER_F64);
    let mut rows = cases(has_f64, usize::try_from(bench.bytes())?)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_measured_nor_compared_is_said() {
        let all = Options::default();
        let late = Options { minutes: Some(5), ..Options::default() };
        let some = Options { only: Some("f16".to_owned()), ..late.clone() };
        for (options, rows, results, said) in [
            (&all, [9, 9], [9, 9], None),
            (&late, [9, 9], [9, 9], None),
            (&late, [8, 9], [8, 8], Some("8 of 9 were measured within 5 minutes")),
            (&late, [9, 9], [7, 9], Some("7 of 9 results were compared")),
            (
                &late,
                [8, 9],
                [7, 8],
                Some("8 of 9 were measured within 5 minutes; 7 of 8 results were compared"),
            ),
            (&some, [2, 2], [0, 2], Some("those that contain `f16`; 0 of 2 results were compared")),
        ] {
            assert_eq!(
                left_out(options, rows, results).as_deref(),
                said,
                "{options:?}, {rows:?}, {results:?}"
            );
        }
    }
}
