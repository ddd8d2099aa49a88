//! The command line.

use std::path::PathBuf;

use lexopt::Arg::{Long, Short, Value};
use wgpu_clamp::DType;

use crate::{Result, operator};

/// What `--help` prints.
pub fn help() -> String {
    let (options, values) = (operator::HELP, operator::VALUES);
    format!(
        "\
usage: clamp_npy [OPTIONS] INPUT OUTPUT

Clamps every element of a .npy file: max(MIN, min(x * SCALE + BIAS, MAX)).
OUTPUT is a .npy file of the same byte order, shape and order, and of the same
dtype unless --dtype names another. It appears when it is complete, and replaces
one that is there; without another dtype it may be INPUT itself.
INPUT may be - for standard input.

  {options}
  -q, --quiet      print nothing but errors
  -h, --help       print this

{values}"
    )
}

/// What was asked for.
#[derive(Debug, Default)]
pub struct Options {
    pub input: PathBuf,
    pub output: PathBuf,
    pub quiet: bool,
    pub operator: operator::Options,
}

/// `None` if help is asked for.
pub fn parse(mut parser: lexopt::Parser) -> Result<Option<Options>> {
    let mut options = Options::default();
    let mut paths = Vec::new();
    while let Some(arg) = parser.next()? {
        match arg {
            Short('q') | Long("quiet") => options.quiet = true,
            Short('h') | Long("help") => return Ok(None),
            Long(name) => {
                let name = name.to_owned();
                if !options.operator.take(&name, &mut parser)? {
                    return Err(Long(&name).unexpected().into());
                }
            }
            Value(path) => paths.push(PathBuf::from(path)),
            Short(_) => return Err(arg.unexpected().into()),
        }
    }
    let count = paths.len();
    let Ok([input, output]) = <[PathBuf; 2]>::try_from(paths) else {
        return Err(format!("{count} files are named; an INPUT and an OUTPUT are needed").into());
    };
    if options.operator.dtype == Some(DType::BF16) {
        return Err("--dtype: NumPy has no bf16".into());
    }
    options.operator.refuse_nothing()?;
    options.operator.refuse_nonsense()?;
    Ok(Some(Options { input, output, ..options }))
}
