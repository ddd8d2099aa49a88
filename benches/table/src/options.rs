//! The command line.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Parser;
use serde::Serialize;

/// Measures wgpu-clamp beside a copy of the same bytes and a plain kernel, in turns on one device, and prints a table in
/// Markdown.
///
/// Takes the fastest adapter, or the one that `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` select. Fails on a wrong result,
/// never on a slow one. An interrupted run leaves the rows measured by then.
#[derive(Clone, Debug, Default, Parser)]
pub struct Options {
    /// Takes smaller tensors and fewer rounds.
    #[arg(long)]
    pub quick: bool,
    /// Only rows whose section, name or dtypes contain this, in any case.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub only: String,
    /// The number of rounds.
    #[arg(long, value_name = "N")]
    pub rounds: Option<NonZeroUsize>,
    /// The size of the large tensors in MiB.
    #[arg(long, value_name = "MIB")]
    pub size: Option<NonZeroU32>,
    /// Writes all figures to a file.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Needs no device: predicts the rows and small pictures on a GPU, at 64 MiB or `--size`.
    #[arg(long)]
    pub model: bool,
    /// Instead of the table, times each kernel that could take a row, in turns, and tells how good the plan's choice is.
    /// With `--model`, predicts the times.
    #[arg(long)]
    pub candidates: bool,
}

impl Options {
    /// The size of the large tensors in bytes, if the command line has one.
    pub fn bytes(&self) -> Option<u64> {
        self.size.map(|mib| u64::from(mib.get()) << 20)
    }

    /// Whether a row with this title is requested.
    pub fn wants(&self, title: &str) -> bool {
        title.to_lowercase().contains(&self.only.to_lowercase())
    }

    /// Writes figures to the requested file.
    pub fn write(&self, figures: &impl Serialize) -> Result<()> {
        let Some(path) = &self.json else { return Ok(()) };
        let text = serde_json::to_string_pretty(figures)?;
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}
