//! Compares the crate with outputs that other implementations of three standards computed, bit for bit.
//!
//! The data is in `tests/data`; `DirectML`, which has no runtime here, has cases derived from its text. `judge.rs`
//! gives each recorded case a verdict: equal, an exception that `exceptions.rs` lists with its reason, or another
//! that is no failure. `report.rs` counts the verdicts.

mod directml_tests;
mod exceptions;
mod golden;
mod judge;
mod onnx_nodes;
mod report;
mod rules;
mod run_gpu;

use std::collections::HashSet;
use std::io::Write as _;
use std::path::PathBuf;

use clamp_testing::{directml_text, harness, onnx_file, random};
use golden::Record;
use judge::{Job, Run, Verdict, judge};

/// The folder of the data: in the repository that this was built from, or, on a machine without it, the value of
/// `WGPU_CLAMP_DATA`.
fn data() -> PathBuf {
    let built = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    std::env::var_os("WGPU_CLAMP_DATA").map_or_else(built, PathBuf::from)
}

/// Judges every record, and panics with a list of all failures.
#[track_caller]
fn judge_all<'a>(records: &'a [Record], run: Run, on_gpu: bool) -> Vec<(&'a Record, Verdict)> {
    let (mut judged, mut wrong) = (Vec::new(), Vec::new());
    for record in records {
        match judge(record, run, on_gpu) {
            Ok(verdict) => judged.push((record, verdict)),
            Err(error) => wrong.push(error),
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), records.len(), wrong.join("\n"));
    judged
}

/// Judges with bounds on the host, and records with inputs also with bounds on the GPU.
#[track_caller]
fn on_every_gpu(records: &[Record]) {
    for gpu in harness::gpus() {
        let run = |job: &Job| run_gpu::run(gpu, job);
        judge_all(records, &run, false);
        let inputs: Vec<_> = records.iter().filter(|record| rules::has_inputs(record)).cloned().collect();
        judge_all(&inputs, &run, true);
    }
}

#[test]
fn runtimes_agree_with_the_reference() {
    judge_all(&golden::runtimes(), &judge::on_reference, false);
}

#[test]
fn runtimes_agree_with_every_gpu() {
    on_every_gpu(&golden::runtimes());
}

#[test]
fn node_tests_agree_with_the_reference() {
    judge_all(&onnx_nodes::node_tests().unwrap(), &judge::on_reference, false);
}

#[test]
fn node_tests_agree_with_every_gpu() {
    on_every_gpu(&onnx_nodes::node_tests().unwrap());
}

/// The node tests as JSON equal the original ones to the bit, so they are counted once.
#[test]
fn node_tests_are_those_of_the_golden_file() {
    let mut golden = golden::node_tests();
    golden.sort_by(|a, b| a.id.cmp(&b.id));
    let essence = |record: &Record| {
        let Record { id, standard, dtype, shape, min, max, x, y, same_as, .. } = record.clone();
        (id, standard, dtype, shape, min, max, x, y, same_as)
    };
    let [golden, files] = [golden, onnx_nodes::node_tests().unwrap()].map(|records| {
        judge_all(&records, &judge::on_reference, false);
        records.iter().map(essence).collect::<Vec<_>>()
    });
    assert_eq!(golden, files);
    assert_eq!(files.len(), 24);
}

#[test]
fn every_golden_file_is_read() {
    let records: Vec<_> = golden::runtimes().into_iter().chain(golden::node_tests()).collect();
    let names: HashSet<_> = records.iter().map(|record| record.file.to_owned()).collect();
    let entries = std::fs::read_dir(golden::folder()).unwrap();
    let files: HashSet<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names, files);
    let cases: HashSet<_> = records.iter().map(|record| (record.file, &record.id)).collect();
    assert_eq!(cases.len(), records.len(), "an id is twice in a file");
}

#[test]
fn every_exception_is_a_record() {
    let records = golden::runtimes();
    let mut seen = HashSet::new();
    for (file, _, ids) in exceptions::EXCEPTIONS {
        for id in *ids {
            assert!(records.iter().any(|record| record.file == *file && record.id == *id), "{file}: {id}");
            assert!(seen.insert((file, id)), "{file}: {id} is listed twice");
        }
    }
}

/// Prints the table. `WGPU_CLAMP_UPDATE=1` writes the page.
#[test]
fn the_page_of_numbers_is_current() {
    let (runtimes, nodes) = (golden::runtimes(), onnx_nodes::node_tests().unwrap());
    let mut judged = judge_all(&runtimes, &judge::on_reference, false);
    judged.extend(judge_all(&nodes, &judge::on_reference, false));
    let page = report::page(&judged);
    // The test runner would swallow the output of `println`.
    let mut stdout = std::io::stdout();
    writeln!(stdout, "\n{page}").unwrap();
    if std::env::var_os("WGPU_CLAMP_UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(report::path(), &page).unwrap();
    }
    let written = std::fs::read_to_string(report::path()).unwrap_or_default();
    assert!(written == page, "{} is out of date; set WGPU_CLAMP_UPDATE=1", report::path().display());
}
