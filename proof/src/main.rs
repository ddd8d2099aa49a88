//! `cargo xtask proof` runs this program once for each implementation, and once more for the matrix.

#![forbid(unsafe_code)]

mod implementation;
mod options;
mod patterns;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clamp_proof::{Column, Matrix};

use options::Task;

fn main() -> ExitCode {
    match options::parse(lexopt::Parser::from_env()).and_then(|task| run(&task)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> Result<()> {
    match task {
        Task::Help => {
            print!("{}", options::USAGE);
        }
        Task::Run { name, json, cases } => {
            let keep = |columns: &[Column]| {
                fs::write(json, serde_json::to_string_pretty(columns)?).with_context(|| shown(json))
            };
            let columns = implementation::columns(name, cases.clone(), keep)?;
            for failure in columns.iter().flat_map(|column| &column.failures) {
                println!("{failure}");
            }
        }
        Task::Matrix { files, into } => matrix(files, into.as_deref())?,
        Task::Patterns { only, size } => patterns::run(only.as_deref(), *size)?,
    }
    Ok(())
}

/// Where the matrix begins and ends in a page.
const MARKS: [&str; 2] = ["<!-- matrix -->\n", "<!-- end of matrix -->"];

/// Prints the matrix of these files, or puts it between the marks of a page.
fn matrix(files: &[PathBuf], into: Option<&Path>) -> Result<()> {
    let mut columns: Vec<Column> = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).with_context(|| shown(file))?;
        columns.extend(serde_json::from_str::<Vec<Column>>(&text).with_context(|| shown(file))?);
    }
    let matrix = Matrix::new(columns);
    match into {
        None => print!("{matrix}"),
        Some(page) => {
            let text = fs::read_to_string(page).with_context(|| shown(page))?;
            let [start, end] = MARKS.map(|mark| text.find(mark));
            let (Some(start), Some(end)) = (start.map(|start| start + MARKS[0].len()), end) else {
                anyhow::bail!("{} lacks the lines {MARKS:?} around the matrix", page.display());
            };
            ensure!(start <= end, "in {} the matrix ends before it begins", page.display());
            fs::write(page, format!("{}\n{matrix}\n{}", &text[..start], &text[end..]))
                .with_context(|| shown(page))?;
        }
    }
    let differing = matrix.differing();
    ensure!(differing.is_empty(), "differs from the CPU reference:\n{}", differing.join("\n"));
    Ok(())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
