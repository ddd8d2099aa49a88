//! `cargo xtask proof` runs this program once for each implementation, and once more for the matrix.

#![forbid(unsafe_code)]

mod implementation;
mod matrix;
mod options;
mod patterns;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clamp_proof::Column;
use clap::Parser as _;

use options::Task;

fn main() -> ExitCode {
    match run(&Task::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> Result<()> {
    match task {
        Task::Run { name, json, cases } => {
            let keep = |columns: &[Column]| {
                fs::write(json, serde_json::to_string_pretty(columns)?).with_context(|| shown(json))
            };
            let columns = implementation::columns(name, cases.clone().unwrap_or(0..usize::MAX), keep)?;
            for failure in columns.iter().flat_map(|column| &column.failures) {
                println!("{failure}");
            }
        }
        Task::Matrix { files, tables, into } => matrix(files, tables, into.as_deref())?,
        Task::Patterns { only, size } => patterns::run(only.as_deref(), size << 20)?,
    }
    Ok(())
}

/// Prints a row for each implementation in `files`, writes the counts per specialization and, if there is a page, its
/// rows.
fn matrix(files: &[PathBuf], tables: &Path, page: Option<&Path>) -> Result<()> {
    let mut columns: Vec<Column> = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).with_context(|| shown(file))?;
        columns.extend(serde_json::from_str::<Vec<Column>>(&text).with_context(|| shown(file))?);
    }
    let rows = matrix::rows(&columns);
    for (_, row) in &rows {
        println!("{row}");
    }
    fs::write(tables, matrix::specializations(&columns)).with_context(|| shown(tables))?;
    if let Some(page) = page {
        let text = fs::read_to_string(page).with_context(|| shown(page))?;
        let text = matrix::with_rows(&text, rows).with_context(|| shown(page))?;
        fs::write(page, text).with_context(|| shown(page))?;
    }
    let differing = matrix::differing(&columns);
    ensure!(differing.is_empty(), "differs from the CPU reference:\n{}", differing.join("\n"));
    Ok(())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
