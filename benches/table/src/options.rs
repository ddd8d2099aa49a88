//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Measures wgpu-clamp beside a copy of the same bytes and a plain kernel, in turns on one device, and prints a table in
/// Markdown.
///
/// Takes the fastest adapter, or the one that `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` select. Fails on a wrong result,
/// never on a slow one.
#[derive(Clone, Debug, Default, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub struct Options {
    /// Takes smaller tensors and fewer rounds.
    #[arg(long)]
    pub quick: bool,
    /// Only rows whose section, name or dtypes contain this, in any case.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub only: String,
    /// The number of rounds.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub rounds: Option<usize>,
    /// The size of the large tensors in MiB.
    #[arg(long, value_name = "MIB", value_parser = mib)]
    pub size: Option<u64>,
    /// Starts no row after so many minutes, and after as many more compares no result. The rows measured by then are
    /// written.
    #[arg(long, value_name = "N")]
    pub minutes: Option<u64>,
    /// Writes all figures to a file.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draws the ratios as a picture.
    #[arg(long, value_name = "FILE.svg", conflicts_with_all = ["model", "candidates"])]
    pub plot: Option<PathBuf>,
    /// Instead of the table, takes the layouts that users bring, at 16 and 64 MiB (on a GPU 64 and 256).
    #[arg(long, conflicts_with_all = ["model", "candidates"])]
    pub layouts: bool,
    /// Adds the time to a first result: `prepare` and the first dispatch of a small tensor, each in a process of its own
    /// with drivers' caches off on Linux.
    #[arg(long, conflicts_with_all = ["model", "candidates"])]
    pub first: bool,
    /// Needs no device: predicts the rows of the table, the layouts and small pictures on a GPU, at 64 MiB or `--size`.
    #[arg(long)]
    pub model: bool,
    /// Instead of the table, times each kernel that could take a row of the table or of the layouts, in turns, beside the
    /// cost by which the plan chooses. With `--model`, predicts the times.
    #[arg(long)]
    pub candidates: bool,
    /// Takes one sample for `--first`, of the case with this number; the program starts itself once per sample.
    #[arg(long, hide = true)]
    pub first_sample: Option<usize>,
}

impl Options {
    /// Whether a row with this title is requested.
    pub fn wants(&self, title: &str) -> bool {
        title.to_lowercase().contains(&self.only.to_lowercase())
    }
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "a number above 0 is needed".to_owned())
}

/// Reads a number of MiB as bytes.
fn mib(text: &str) -> Result<u64, String> {
    positive(text).map(|mib| (mib as u64) << 20)
}
