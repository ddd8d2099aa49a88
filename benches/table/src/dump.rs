//! All figures in a file, for programs.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::growth::Curve;
use crate::head::Head;
use crate::row::Outcome;

/// What `--json` writes.
#[derive(Serialize)]
pub struct Dump<'a> {
    /// What stands above the table.
    pub head: &'a Head,
    /// The table, with every sample.
    pub rows: &'a [Outcome],
    /// Time against something that grows.
    pub growth: &'a [Curve],
}

impl Dump<'_> {
    /// Writes it.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}
