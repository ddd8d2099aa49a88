//! The command line.

use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use lexopt::Arg::{Long, Short, Value};
use lexopt::ValueExt as _;

/// What `--help` prints.
pub const USAGE: &str = "\
usage: clamp-proof run NAME --json FILE [--cases A..B]
       clamp-proof matrix FILE... --tables TABLES.md [--into PAGE.md]
       clamp-proof patterns [--only TEXT] [--size MIB]

run       holds every specialization on one adapter to the CPU reference, with default and downlevel limits,
          and with the optional features that the crate uses where the adapter has them. NAME is what the
          matrix calls it. The adapter is what WGPU_BACKEND, WGPU_ADAPTER_NAME and the driver's own
          variables say. --cases: these of the self-test alone, such as 0..20. Prints what differs; `matrix` is
          what judges it.
matrix    prints a row per implementation and writes the tables of all dtypes, kernels and arithmetics.
          --into: replaces these implementations' rows in that page. Fails where an element differs.
patterns  takes all 2^32 patterns of F32, I32 and U32 through the clamp and F32 through the affine step and the
          conversions. Hours on a CPU. --only: what a line must contain; --size: of a tensor.
";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub enum Task {
    /// Print [`USAGE`].
    Help,
    /// One adapter.
    Run {
        /// Of the implementation.
        name: String,
        /// Where its columns go.
        json: PathBuf,
        /// Of the self-test.
        cases: Range<usize>,
    },
    /// Several of these.
    Matrix {
        /// What `run` wrote.
        files: Vec<PathBuf>,
        /// The file for the full tables.
        tables: PathBuf,
        /// The page whose rows are replaced.
        into: Option<PathBuf>,
    },
    /// Every pattern of 32 bits.
    Patterns {
        /// What a line must contain, in lower case.
        only: Option<String>,
        /// Of a tensor, in bytes.
        size: u64,
    },
}

/// Reads the command line.
///
/// # Errors
///
/// An unknown command or option, or a value that is missing or no number.
pub fn parse(mut parser: lexopt::Parser) -> Result<Task> {
    let (mut words, mut json, mut tables, mut into, mut only) = (Vec::new(), None, None, None, None);
    let (mut cases, mut size) = (0..usize::MAX, 16);
    while let Some(arg) = parser.next()? {
        match arg {
            Short('h') | Long("help") => return Ok(Task::Help),
            Long("json") => json = Some(PathBuf::from(parser.value()?)),
            Long("tables") => tables = Some(PathBuf::from(parser.value()?)),
            Long("into") => into = Some(PathBuf::from(parser.value()?)),
            Long("only") => only = Some(parser.value()?.string()?.to_lowercase()),
            Long("size") => size = parser.value()?.parse()?,
            Long("cases") => {
                let text = parser.value()?.string()?;
                let (start, end) =
                    text.split_once("..").with_context(|| format!("--cases is A..B, not {text}"))?;
                cases = start.parse()?..end.parse()?;
            }
            Value(word) => words.push(word),
            _ => return Err(arg.unexpected().into()),
        }
    }
    let mut words = words.into_iter();
    let Some(command) = words.next() else { return Ok(Task::Help) };
    let task = match command.to_str() {
        Some("run") => Task::Run {
            name: words.next().context("run needs a NAME")?.string()?,
            json: json.take().context("run needs --json FILE")?,
            cases,
        },
        Some("matrix") => Task::Matrix {
            files: words.by_ref().map(PathBuf::from).collect(),
            tables: tables.take().context("matrix needs --tables FILE")?,
            into: into.take(),
        },
        Some("patterns") => {
            ensure!((1..=1024).contains(&size), "--size is 1 to 1024 MiB, not {size}");
            Task::Patterns { only: only.take(), size: size << 20 }
        }
        _ => bail!("there is no command `{}`: it is run, matrix or patterns", command.display()),
    };
    if let Some(word) = words.next() {
        bail!("unexpected argument `{}`", word.display());
    }
    Ok(task)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Task> {
        super::parse(lexopt::Parser::from_args(line.split_whitespace()))
    }

    #[test]
    fn every_command() {
        assert_eq!(parse("").unwrap(), Task::Help);
        assert_eq!(parse("run --help").unwrap(), Task::Help);
        assert_eq!(
            parse("run lavapipe --json a.json --cases 3..7").unwrap(),
            Task::Run { name: "lavapipe".into(), json: "a.json".into(), cases: 3..7 }
        );
        assert_eq!(
            parse("matrix a b --tables t.md --into c.md").unwrap(),
            Task::Matrix {
                files: vec!["a".into(), "b".into()],
                tables: "t.md".into(),
                into: Some("c.md".into())
            }
        );
        assert_eq!(
            parse("patterns --only F32 --size 2").unwrap(),
            Task::Patterns { only: Some("f32".into()), size: 2 << 20 }
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, part) in [
            ("prove", "`prove`"),
            ("run", "NAME"),
            ("run a", "--json"),
            ("matrix a", "--tables"),
            ("run a --json b --cases 3", "A..B"),
            ("run a b --json c", "`b`"),
            ("patterns --size 0", "1 to 1024"),
            ("matrix --what", "--what"),
        ] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
