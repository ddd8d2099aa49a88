//! Counts the verdicts, on the page `tests/data/CONFORMANCE.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use wgpu_clamp::reference;

use crate::exceptions::EXCEPTIONS;
use crate::golden::Record;
use crate::judge::Verdict;
use crate::quantize::Node;
use crate::rules::name_and_version;

/// The columns of the verdicts.
const COLUMNS: [&str; 3] = ["equal", "exception", "rejected"];

const INTRODUCTION: &str = "\
# Cases of other implementations that the crate is held to

The conformance tests write this page (`WGPU_CLAMP_UPDATE=1 cargo test --test conformance`) and fail if it is out of
date. Each case is one tensor with its bounds, compared bit for bit on the CPU reference, to which the other
tests hold every adapter.

- exception: the runtime differs from the text of its standard exactly as listed below
- rejected: the standard rejects the case, the runtime gave an error, and so does the crate

";

const QUANTIZED: &str = "
## QuantizeLinear and DequantizeLinear

Nodes of ONNX Runtime 1.32.0, to which `tests/gpu` holds every adapter too.

| operator | nodes | elements | equal |
| --- | --- | --- | --- |
";

/// The page, but for quantisations.
pub fn page(judged: &[(&Record, Verdict)]) -> String {
    let mut page = format!("{INTRODUCTION}{}\n## Exceptions\n\n", table(judged));
    page += "| reason | file | cases |\n| --- | --- | --- |\n";
    let mut listed = 0;
    for exception in &EXCEPTIONS {
        for (file, ids) in exception.records {
            listed += ids.split(' ').count();
            writeln!(page, "| {} | `{file}` | {} |", exception.reason, ids.split(' ').count()).unwrap();
        }
    }
    let excepted = judged.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Excepted)).count();
    assert_eq!(listed, excepted, "an exception lists a record that is not there, or twice");
    page
}

fn table(judged: &[(&Record, Verdict)]) -> String {
    let mut rows: BTreeMap<_, [usize; COLUMNS.len()]> = BTreeMap::new();
    for (record, verdict) in judged {
        let (standard, version) = name_and_version(record.standard);
        let row = (standard, version, record.held_to, record.dtype);
        rows.entry(row).or_default()[*verdict as usize] += 1;
    }
    let mut table = format!("| standard | version | held to | dtype | cases | {} |\n", COLUMNS.join(" | "));
    table += &"| --- ".repeat(5 + COLUMNS.len());
    table += "|\n";
    let mut total = [0; COLUMNS.len()];
    let mut line = |head: String, counts: [usize; COLUMNS.len()]| {
        let cells = counts.map(|count| if count == 0 { " |".to_owned() } else { format!(" {count} |") });
        writeln!(table, "| {head} | {} |{}", counts.iter().sum::<usize>(), cells.concat()).unwrap();
    };
    for ((standard, version, held_to, dtype), counts) in rows {
        line(format!("{standard} | {version} | {held_to} | {dtype}"), counts);
        total = std::array::from_fn(|n| total[n] + counts[n]);
    }
    line("all | | |".to_owned(), total);
    table
}

/// The section that counts equal elements of quantisations. Panics if one differs.
pub fn quantized(nodes: &[Node]) -> String {
    let mut rows: BTreeMap<_, [usize; 2]> = BTreeMap::new();
    for Node { operator, clamp, x, y } in nodes {
        let results: Vec<_> = x.iter().map(|&x| reference::element(clamp, x).unwrap()).collect();
        assert_eq!(results, *y, "{operator}: {clamp}");
        let row = rows.entry(operator).or_default();
        *row = [row[0] + 1, row[1] + y.len()];
    }
    let rows = rows
        .iter()
        .map(|(operator, [nodes, count])| format!("| {operator} | {nodes} | {count} | {count} |\n"));
    QUANTIZED.to_owned() + &rows.collect::<String>()
}

pub fn path() -> PathBuf {
    crate::data().join("CONFORMANCE.md")
}
