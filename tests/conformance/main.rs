//! Compares the crate, bit for bit, with outputs that other implementations of three standards computed.
//!
//! The data is in `tests/data`. `judge.rs` gives each recorded case a verdict: equal, an exception that `exceptions.rs`
//! lists with its reason, or rejected. `report.rs` counts the verdicts.

mod exceptions;
mod golden;
mod judge;
mod report;
mod rules;
mod run_gpu;

use std::collections::HashSet;
use std::io::Write as _;
use std::path::PathBuf;

use clamp_testing::harness;
use golden::{Record, records};
use judge::{Job, Run, Verdict, judge};

/// The folder of the data: `WGPU_CLAMP_DATA`, if set, for machines without the repository; else the folder in the
/// repository that this program was built from.
fn data() -> PathBuf {
    let built = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    std::env::var_os("WGPU_CLAMP_DATA").map_or_else(built, PathBuf::from)
}

/// Judges every record, and panics with a list of all failures.
#[track_caller]
fn judge_all<'a>(
    records: impl IntoIterator<Item = &'a Record>,
    run: Run,
    on_gpu: bool,
) -> Vec<(&'a Record, Verdict)> {
    let (mut judged, mut wrong) = (Vec::new(), Vec::new());
    for record in records {
        match judge(record, run, on_gpu) {
            Ok(verdict) => judged.push((record, verdict)),
            Err(error) => wrong.push(format!("{error:#}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), wrong.len() + judged.len(), wrong.join("\n"));
    judged
}

/// Runs each record with bounds on the host. If its bounds are inputs, runs it with bounds on the GPU too.
#[test]
fn every_record_agrees_with_every_gpu() {
    let records = records();
    for gpu in harness::gpus() {
        println!("on {}", gpu.name);
        let run = |job: &Job| run_gpu::run(gpu, job);
        judge_all(&records, &run, false);
        judge_all(records.iter().filter(|record| rules::has_inputs(record)), &run, true);
    }
}

/// Prints the page of verdicts. `WGPU_CLAMP_UPDATE=1` writes it.
#[test]
fn every_record_agrees_with_the_reference_and_the_page_counts_them() {
    let records = records();
    let page = report::page(&judge_all(&records, &judge::on_reference, false));
    // The test runner would swallow the output of `println`.
    writeln!(std::io::stdout(), "\n{page}").unwrap();
    if std::env::var_os("WGPU_CLAMP_UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(report::path(), &page).unwrap();
    }
    let written = std::fs::read_to_string(report::path()).unwrap_or_default();
    assert!(written == page, "{} is out of date; set WGPU_CLAMP_UPDATE=1", report::path().display());
}

#[test]
fn every_golden_file_is_read() {
    let records = records();
    let names: HashSet<_> = records.iter().map(|record| record.file.to_owned()).collect();
    let entries = std::fs::read_dir(golden::folder()).unwrap();
    let files: HashSet<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names, files);
    let cases: HashSet<_> = records.iter().map(|record| (record.file, &record.id)).collect();
    assert_eq!(cases.len(), records.len(), "an id is twice in a file");
}

#[test]
fn every_exception_is_a_record() {
    let records = records();
    let mut seen = HashSet::new();
    for (file, ids) in exceptions::EXCEPTIONS.iter().flat_map(|exception| exception.records) {
        for id in ids.split(' ') {
            assert!(records.iter().any(|record| record.file == *file && record.id == id), "{file}: {id}");
            assert!(seen.insert((file, id)), "{file}: {id} is listed twice");
        }
    }
}
