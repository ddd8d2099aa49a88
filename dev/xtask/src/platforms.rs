//! `cargo xtask platforms`: rows of the tables from reports of devices.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clamp_check::{Report, Table, insert};

use crate::shell::root;

/// The tables, and the files that have them.
const TABLES: [(Table, &str); 2] =
    [(Table::Portability, "docs/PORTABILITY.md"), (Table::Results, "benches/RESULTS.md")];

/// Reads all reports before it changes a file.
pub fn run(files: &[PathBuf]) -> Result<()> {
    let mut reports = Vec::new();
    for file in files {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let found = Report::parse(&text).map_err(anyhow::Error::msg);
        reports.extend(found.with_context(|| format!("no row from {}", file.display()))?);
    }
    for (table, name) in TABLES {
        let path = root().join(name);
        let mut page = std::fs::read_to_string(&path)?;
        for row in reports.iter().filter_map(|report| table.row(report)) {
            println!("{name}: {row}");
            page = insert(&page, table.head(), &row)
                .with_context(|| format!("{name} has no table that begins with {:?}", table.head()))?;
        }
        std::fs::write(path, page)?;
    }
    Ok(())
}
