//! The file that `--json` writes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::first::First;
use crate::head::Head;
use crate::outcome::{Outcome, Verdict};
use crate::sweep;

/// All figures of one run.
#[derive(Debug, Default, Serialize)]
pub struct Dump {
    /// The lines above the table.
    pub head: Head,
    /// Why some rows are missing or not compared: they were not asked for, or the time was over.
    pub left_out: Option<String>,
    /// The table's rows, with every sample.
    pub rows: Vec<Outcome>,
    /// The sweep of layouts.
    pub layouts: Vec<sweep::Point>,
    /// Times to a first result.
    pub first: Vec<First>,
}

impl Dump {
    /// Writes the figures as JSON.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// The clock and the error of each row and point, in the order of measurement.
    pub fn marks(&mut self) -> impl Iterator<Item = (&mut Option<f64>, &mut Option<String>)> {
        let rows = self.rows.iter_mut().map(|row| (&mut row.clock, &mut row.error));
        let layouts = self.layouts.iter_mut().map(|point| (&mut point.clock, &mut point.error));
        rows.chain(layouts)
    }

    /// Whether every result is right.
    pub fn is_right(&self) -> bool {
        self.rows.iter().all(|row| row.verdict != Verdict::Wrong)
            && self.layouts.iter().all(|point| point.error.is_none())
            && self.first.iter().all(|first| first.error.is_none())
    }
}
