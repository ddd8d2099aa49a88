//! The command line.

use std::ops::Range;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Parser, value_parser};

/// The runs of `cargo xtask proof`. `WGPU_BACKEND`, `WGPU_ADAPTER_NAME` and the driver's own variables choose the adapter.
#[derive(Debug, Parser, PartialEq, Eq)]
pub enum Task {
    /// Compares every specialization on one adapter with the CPU reference: with default and downlevel limits, without
    /// and, if the adapter has them, with the optional features that the crate uses. Prints what differs; `matrix`
    /// judges it.
    Run {
        /// The name of the implementation.
        name: String,
        /// The file for the results: a column per device.
        #[arg(long, value_name = "FILE")]
        json: PathBuf,
        /// Only these cases of the self-test.
        #[arg(long, value_name = "A..B", value_parser = range)]
        cases: Option<Range<usize>>,
    },
    /// Prints a row per implementation. Fails where an element differs.
    Matrix {
        /// Files that `run` wrote.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The file for the counts per specialization.
        #[arg(long, value_name = "FILE.tsv")]
        tables: PathBuf,
        /// Replaces these implementations' rows in this page.
        #[arg(long, value_name = "PAGE.md")]
        into: Option<PathBuf>,
    },
    /// Takes all 2^32 patterns of F32, I32 and U32 through the clamp, the affine step and the conversions. Hours on a CPU.
    Patterns {
        /// Only lines that contain this, in any case.
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
        /// The size of a tensor in MiB.
        #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = value_parser!(u64).range(1..=1024))]
        size: u64,
    },
}

fn range(text: &str) -> anyhow::Result<Range<usize>> {
    let (start, end) = text.split_once("..").context("a range is A..B")?;
    Ok(start.parse()?..end.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Task, clap::Error> {
        Task::try_parse_from(["clamp-proof"].into_iter().chain(line.split_whitespace()))
    }

    #[test]
    fn cases_are_a_range() {
        let run = |cases| Task::Run { name: "lavapipe".into(), json: "a.json".into(), cases };
        assert_eq!(parse("run lavapipe --json a.json --cases 3..7").unwrap(), run(Some(3..7)));
        assert_eq!(parse("run lavapipe --json a.json").unwrap(), run(None));
        assert!(parse("run a --json b --cases 3").unwrap_err().to_string().contains("A..B"));
    }

    #[test]
    fn what_is_missing_is_named() {
        for (line, part) in [
            ("run", "<NAME>"),
            ("run a", "--json"),
            ("matrix", "<FILES>"),
            ("matrix a.json", "--tables"),
            ("prove", "prove"),
        ] {
            assert!(parse(line).unwrap_err().to_string().contains(part), "{line}");
        }
    }
}
