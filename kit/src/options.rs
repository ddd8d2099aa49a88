//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::part::Part;

/// What `--help` prints.
pub const USAGE: &str = "\
usage: ./run [--minutes N] [--adapter TEXT] [--out DIR] [PART...]

Tries wgpu-clamp on the GPUs of this machine and writes a report: report/report.md is what to paste into an issue.

    --minutes N      the time for all parts (30); a part that does not end in its share is ended
    --adapter TEXT   only adapters whose line contains this, such as nvidia or vulkan; software drivers too
    --out DIR        where the report goes: report beside this program, or report-2 where that is taken

The parts, in the order in which they are taken; without any, all:
";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub enum Task {
    /// Print [`USAGE`].
    Help,
    /// Run.
    Run(Options),
}

/// How to run.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// For all parts.
    pub time: Duration,
    /// What the line of an adapter must contain, in lower case.
    pub adapter: Option<String>,
    /// Where the report goes.
    pub out: Option<PathBuf>,
    /// In their order.
    pub parts: Vec<Part>,
}

/// Reads the words behind the program's name.
///
/// # Errors
///
/// An unknown option or part, or a value that is missing or out of range.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Task> {
    use lexopt::ValueExt as _;
    let mut parser = lexopt::Parser::from_args(args);
    let (mut minutes, mut adapter, mut out, mut parts) = (30.0, None, None, Vec::new());
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Short('h') | lexopt::Arg::Long("help") => return Ok(Task::Help),
            lexopt::Arg::Long("minutes") => {
                let value = parser.value()?.string()?;
                minutes =
                    value.parse().ok().filter(|minutes| (0.1..=10_000.0).contains(minutes)).with_context(
                        || format!("`--minutes` needs a number from 0.1 to 10000, not `{value}`"),
                    )?;
            }
            lexopt::Arg::Long("adapter") => adapter = Some(parser.value()?.string()?.to_lowercase()),
            lexopt::Arg::Long("out") => out = Some(PathBuf::from(parser.value()?)),
            lexopt::Arg::Value(word) => match Part::ALL.into_iter().find(|part| word == part.name()) {
                Some(part) => parts.push(part),
                None => bail!(
                    "there is no part `{}`; the parts are: {}",
                    word.display(),
                    Part::ALL.map(Part::name).join(", ")
                ),
            },
            _ => return Err(arg.unexpected().into()),
        }
    }
    let wanted = |part: &Part| parts.is_empty() || parts.contains(part);
    let parts = Part::ALL.into_iter().filter(wanted).collect();
    Ok(Task::Run(Options { time: Duration::from_secs_f64(minutes * 60.0), adapter, out, parts }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Task> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn parts_are_taken_in_their_own_order_and_once() {
        let Task::Run(all) = parsed("").unwrap() else { panic!("no help was asked for") };
        assert_eq!(all.parts, Part::ALL);
        assert_eq!(all.time, Duration::from_secs(1800));
        let line = "--minutes 0.5 --adapter RADV --out there table tests table";
        let Task::Run(some) = parsed(line).unwrap() else { panic!("no help was asked for") };
        assert_eq!(some.parts, [Part::Tests, Part::Table]);
        assert_eq!((some.time, some.adapter), (Duration::from_secs(30), Some("radv".to_owned())));
        assert_eq!(some.out, Some("there".into()));
        assert_eq!(parsed("tests -h").unwrap(), Task::Help);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, named) in [
            ("tset", "`tset`"),
            ("--minutes", "--minutes"),
            ("--minutes soon", "`soon`"),
            ("--minutes 0", "`0`"),
            ("--minutes NaN", "`NaN`"),
            ("--fast", "--fast"),
        ] {
            let error = parsed(line).unwrap_err().to_string();
            assert!(error.contains(named), "{line}: {error}");
        }
    }
}
