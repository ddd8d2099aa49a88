//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::first::Side;

/// Measures wgpu-clamp and its rivals in turns on one device, and prints a table in Markdown.
///
/// Takes the fastest adapter, or the one that `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` select. Fails on a wrong result,
/// never on a slow one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub struct Options {
    /// Takes smaller tensors and fewer rounds.
    #[arg(long, conflicts_with = "first")]
    pub quick: bool,
    /// Only rows whose section, name or dtype contains this, in any case.
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// The number of rounds.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub rounds: Option<usize>,
    /// The size of the large tensors in MiB.
    #[arg(long, value_name = "MIB", value_parser = mib, conflicts_with = "first")]
    pub size: Option<u64>,
    /// Starts no row after so many minutes, and after as many more compares no result. The rows measured by then are
    /// written.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub minutes: Option<usize>,
    /// Compares no result with the reference; the figures say so.
    #[arg(long, conflicts_with = "first")]
    pub unchecked: bool,
    /// Writes all figures to a file.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draws the ratios as a picture.
    #[arg(long, value_name = "FILE.svg", value_parser = svg, conflicts_with = "first")]
    pub plot: Option<PathBuf>,
    /// Instead of the table, measures the layouts that users bring, each against a copy and a plain kernel, at 16 and
    /// 64 MiB (on a GPU 64 and 256).
    #[arg(long, conflicts_with = "first")]
    pub layouts: bool,
    /// Instead of the table, measures the time to a first result: `prepare` and the first dispatch, with drivers'
    /// caches off on Linux.
    #[arg(long)]
    pub first: bool,
    /// Needs no device: predicts the rows of the table, the sweep and small pictures on a GPU, at 64 MiB or `--size`.
    #[arg(long, conflicts_with_all = ["quick", "rounds", "minutes", "unchecked", "plot", "layouts", "first"])]
    pub model: bool,
    /// Instead of the table, times each kernel that could take a row of the table or of the sweep, in turns, beside the
    /// cost by which the plan chooses. With `--model`, predicts the times.
    #[arg(long, conflicts_with_all = ["unchecked", "plot", "layouts", "first"])]
    pub candidates: bool,
    /// Takes one sample for `--first`, such as `3:Ours`; the program starts itself once per sample.
    #[arg(long, hide = true, value_parser = sample)]
    pub first_sample: Option<(usize, Side)>,
}

impl Options {
    /// Whether a row with this description is requested.
    pub fn wants(&self, description: &str) -> bool {
        let only = self.only.as_deref().unwrap_or_default().to_lowercase();
        description.to_lowercase().contains(&only)
    }
}

/// Reads the number of a job and the side that compiles.
fn sample(text: &str) -> Result<(usize, Side), String> {
    let parsed = text.split_once(':').and_then(|(job, side)| {
        let side = [Side::Ours, Side::Plain].into_iter().find(|known| format!("{known:?}") == side)?;
        Some((job.parse().ok()?, side))
    });
    parsed.ok_or_else(|| "a sample is JOB:SIDE".to_owned())
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "a number above 0 is needed".to_owned())
}

/// Reads a number of MiB as bytes.
fn mib(text: &str) -> Result<u64, String> {
    positive(text).map(|mib| (mib as u64) << 20)
}

fn svg(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.extension().is_some_and(|extension| extension == "svg") {
        return Ok(path);
    }
    Err("the picture is SVG: name a file that ends in .svg".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, clap::Error> {
        Options::try_parse_from(["clamp-bench"].into_iter().chain(line.split_whitespace()))
    }

    #[test]
    fn values_are_read() {
        let options = parse("--only F16 --rounds 7 --size 2 --plot b.svg").unwrap();
        assert!(options.wants("clamp f16") && !options.wants("clamp f32") && Options::default().wants("any"));
        assert_eq!((options.rounds, options.size), (Some(7), Some(2 << 20)));
        assert_eq!(parse("--first-sample 3:Plain").unwrap().first_sample, Some((3, Side::Plain)));
    }

    #[test]
    fn wrong_values_and_contradictions_are_refused() {
        for line in [
            "--rounds 0",
            "--size many",
            "--plot a.gif",
            "--layouts --first",
            "--model --layouts",
            "--candidates --first",
            "--first --plot a.svg",
            "--first --quick",
            "--first --unchecked",
            "--first-sample 3",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
