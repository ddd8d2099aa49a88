//! The command line.

use std::path::PathBuf;

use lexopt::Arg::{Long, Short, Value};
use lexopt::ValueExt as _;

use crate::{Result, operator};

/// What `--help` prints.
pub fn help() -> String {
    let (options, values) = (operator::HELP, operator::VALUES);
    format!(
        "\
usage: clamp-zarr [OPTIONS] IN OUT

Clamps every element of a Zarr array: max(MIN, min(x * SCALE + BIAS, MAX)).
IN is the directory of an array of version 2 or 3, of any codec. OUT becomes one
of version 3 with the same shape, chunks, codecs, attributes and dimension names.
A chunk of OUT appears under its name when it is complete, and those that are
there are left alone: a run that was stopped or killed is simply started again.
A chunk that IN does not have stays away, unless channels make it of many values.

  {options}
  --channels FILE  a line for each index of --axis with the options that it adds
                   or replaces, such as: --scale 0.0171 --bias -2.118
  --axis N         the dimension of the channels, from 0; the last if not given
  --part I/N       only these chunks of N equal parts; I is 0 to N - 1
  --jobs N         chunks at a time; as many as there are cores if not given:
                   divide them among the parts of a machine
  --gpu N          the N-th GPU of the machine, from 0 (or WGPU_CLAMP_ADAPTER)
  -q, --quiet      no progress
  -h, --help       print this

{values}"
    )
}

/// What was asked for.
#[derive(Debug)]
pub struct Options {
    pub input: PathBuf,
    pub output: PathBuf,
    pub operator: operator::Options,
    pub channels: Option<PathBuf>,
    pub axis: Option<usize>,
    pub part: Share,
    pub jobs: usize,
    pub gpu: Option<usize>,
    pub quiet: bool,
}

/// One of several equal parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// From 0.
    pub index: usize,
    pub count: usize,
}

/// `None` if help is asked for.
pub fn parse(mut parser: lexopt::Parser) -> Result<Option<Options>> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let mut options = Options {
        input: PathBuf::new(),
        output: PathBuf::new(),
        operator: operator::Options::default(),
        channels: None,
        axis: None,
        part: Share { index: 0, count: 1 },
        jobs,
        gpu: None,
        quiet: false,
    };
    let mut paths = Vec::new();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("channels") => options.channels = Some(parser.value()?.into()),
            Long("axis") => options.axis = Some(number("--axis", &mut parser)?),
            Long("part") => options.part = share(&parser.value()?.string()?)?,
            Long("jobs") => options.jobs = number("--jobs", &mut parser)?,
            Long("gpu") => options.gpu = Some(number("--gpu", &mut parser)?),
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
        return Err(format!("{count} arrays are named; IN and OUT are needed").into());
    };
    if options.jobs == 0 {
        return Err("--jobs: 0 would do nothing; give 1 or more".into());
    }
    if options.axis.is_some() && options.channels.is_none() {
        return Err("--axis: it is that of --channels, which is not given".into());
    }
    if options.channels.is_none() {
        options.operator.refuse_nothing()?;
        options.operator.refuse_nonsense()?;
    }
    Ok(Some(Options { input, output, ..options }))
}

fn number(option: &str, parser: &mut lexopt::Parser) -> Result<usize> {
    let text = parser.value()?.string()?;
    text.parse().map_err(|_| format!("{option}: {text:?} is no number such as 2").into())
}

fn share(text: &str) -> Result<Share> {
    let numbers =
        text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    match numbers {
        Some((index, count)) if index < count => Ok(Share { index, count }),
        Some((_, 0)) => Err(format!("--part: {text} has no parts; give 0/1 for all").into()),
        Some((_, count)) => {
            let last = count - 1;
            Err(format!("--part: {text} is beyond the last of {count}, counted from 0: {last}/{count}")
                .into())
        }
        None => Err(format!("--part: {text:?} is no part such as 0/4").into()),
    }
}
