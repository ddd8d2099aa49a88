//! The command line.

use std::num::NonZero;
use std::path::PathBuf;
use std::str::FromStr;

use crate::operator::Operator;

/// Clamps every element of a Zarr array: max(MIN, min(x * SCALE + BIAS, MAX)).
///
/// IN is the directory of an array of version 2 or 3, with any codec. OUT becomes an
/// array of version 3 with the same shape, chunks, codecs, attributes and dimension
/// names. A chunk of OUT appears under its name when it is complete, and chunks that
/// are there stay: to finish a run that was stopped or killed, start it again. A chunk
/// that is absent from IN is absent from OUT, unless channels clamp IN's fill value to
/// different numbers.
///
/// VALUE is a number of OUT's dtype, taken exactly: -5, 9007199254740993, 0xff
/// for integers, -1.5, 1e-3, inf for floats; unless --standard says otherwise.
#[derive(Debug, clap::Parser)]
#[command(verbatim_doc_comment)]
pub struct Options {
    /// The directory of the array
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The directory of the result
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub operator: Operator,
    /// A file with a line for each index of --axis: options that it adds or replaces, such as --scale 0.0171 --bias -2
    #[arg(long, value_name = "FILE")]
    pub channels: Option<PathBuf>,
    /// The dimension of the channels, from 0; the last if not given
    #[arg(long, value_name = "N", requires = "channels")]
    pub axis: Option<usize>,
    /// Clamps only part I of N equal parts of the chunks; I is 0 to N - 1
    #[arg(long, value_name = "I/N", default_value = "0/1")]
    pub part: Share,
    /// Chunks at a time; as many as cores if not given. Divide the cores among the parts of a machine
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,
    /// The N-th GPU of the machine, from 0 (or `WGPU_CLAMP_ADAPTER`)
    #[arg(long, value_name = "N")]
    pub gpu: Option<usize>,
    /// No progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// One of several equal parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of the part, from 0.
    pub index: usize,
    pub count: usize,
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let numbers =
            text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) if index < count => Ok(Self { index, count }),
            Some((_, 0)) => Err("it has no parts; give 0/1 for all".to_owned()),
            Some((_, count)) => {
                Err(format!("it is beyond the last of {count}, counted from 0: {}/{count}", count - 1))
            }
            None => Err("it is no part such as 0/4".to_owned()),
        }
    }
}
