//! Compares the CPU reference, bit for bit, with outputs that other implementations of three standards computed.
//!
//! The data is in `tests/data`. `judge.rs` gives each recorded case a verdict: equal, an exception that `exceptions.rs`
//! lists with its reason, or rejected. `report.rs` counts the verdicts.

mod exceptions;
mod golden;
mod judge;
mod quantize;
mod report;
mod rules;

use std::collections::HashSet;
use std::path::PathBuf;

use golden::records;
use judge::judge;

/// The folder of the data.
fn data() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"))
}

/// Compares the page of verdicts with the one in the repository. `WGPU_CLAMP_UPDATE=1` writes it.
#[test]
fn every_record_agrees_and_the_page_counts_them() {
    let (mut judged, mut wrong) = (Vec::new(), Vec::new());
    let records = records();
    for record in &records {
        match judge(record) {
            Ok(verdict) => judged.push((record, verdict)),
            Err(error) => wrong.push(format!("{error:#}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), records.len(), wrong.join("\n"));
    let page = report::page(&judged) + &report::quantized(&quantize::nodes());
    if std::env::var_os("WGPU_CLAMP_UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(report::path(), &page).unwrap();
    }
    let written = std::fs::read_to_string(report::path()).unwrap_or_default();
    assert!(written == page, "{} is out of date; set WGPU_CLAMP_UPDATE=1", report::path().display());
}

#[test]
fn every_golden_file_is_read() {
    let records = records();
    let names: HashSet<_> =
        records.iter().map(|record| record.file).chain([quantize::FILE]).map(str::to_owned).collect();
    let entries = std::fs::read_dir(golden::folder()).unwrap();
    let files: HashSet<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names, files);
    let cases: HashSet<_> =
        records.iter().map(|record| (record.file, &record.id, format!("{:?}", record.standard))).collect();
    assert_eq!(cases.len(), records.len(), "an id is twice in a file");
}
