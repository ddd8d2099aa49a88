//! `--from`: takes what `--json` wrote, here or on another machine, into RESULTS.md.
//!
//! What belongs to one adapter and one kind of table stands between two comments there, and is replaced as a whole;
//! pictures and full figures become files beside it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::curves;
use crate::dump::Dump;
use crate::first;
use crate::plot;
use crate::sweep;
use crate::table;

/// How many of the worst rows of the sweep are shown.
const WORST: usize = 15;

/// Takes the figures of `dump` into the page; returns the names of the tables that it has.
///
/// # Errors
///
/// There are no figures, or a file cannot be read or written.
pub fn record(dump: &Dump, page: &Path) -> Result<Vec<String>> {
    let mut text = fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let mut names = Vec::new();
    for (kind, block) in blocks(dump, page)? {
        let name = format!("{} {kind}", dump.head.slug());
        text = replaced(&text, &name, &dump.head.title(), &block)?;
        names.push(name);
    }
    ensure!(!names.is_empty(), "the file has no table");
    fs::write(page, text).with_context(|| format!("cannot write {}", page.display()))?;
    Ok(names)
}

/// Each kind of table that there are figures of, as markdown; its pictures are drawn.
fn blocks(dump: &Dump, page: &Path) -> Result<Vec<(&'static str, String)>> {
    let head = &dump.head;
    let beside = |suffix: &str| page.with_file_name(format!("{}{suffix}", head.slug()));
    let mut blocks = Vec::new();
    if !dump.rows.is_empty() {
        plot::ratios(&beside(".svg"), &head.title(), &dump.rows)?;
        let mut block = format!("![Ratio by row and dtype]({}.svg)\n\n{}\n", head.slug(), head.markdown());
        let _ = writeln!(block, "{}", table::HEAD);
        dump.rows.iter().for_each(|row| _ = writeln!(block, "{}", table::line(row)));
        let _ = writeln!(block, "\n{}", table::summary(&dump.rows));
        blocks.push(("table", block));
    }
    if !dump.growth.is_empty() {
        let mut block = String::new();
        for curve in &dump.growth {
            let suffix = curve.suffix();
            curves::draw(&beside(&format!("{suffix}.svg")), &head.title(), curve)?;
            let _ =
                writeln!(block, "![{}]({}{suffix}.svg)\n\n{}", curve.name, head.slug(), curves::table(curve));
        }
        blocks.push(("growth", block));
    }
    if !dump.layouts.is_empty() {
        sweep::draw(&beside("-layouts.svg"), &head.title(), &dump.layouts)?;
        fs::write(beside("-layouts.tsv"), sweep::tsv(&dump.layouts))?;
        let block = format!(
            "![A copy's time over ours, by layout and dtypes]({0}-layouts.svg)\n\n{1}.\n\n{2}\n{3}\
             [All rows]({0}-layouts.tsv), in seconds.\n",
            head.slug(),
            head.title(),
            sweep::summary(&dump.layouts),
            sweep::worst(&dump.layouts, WORST)
        );
        blocks.push(("layouts", block));
    }
    if !dump.first.is_empty() {
        blocks.push(("first", format!("{}. {}", head.title(), first::table(&dump.first))));
    }
    Ok(blocks)
}

/// The page with the block of that name replaced, or added at its end under the adapter's name.
fn replaced(page: &str, name: &str, title: &str, block: &str) -> Result<String> {
    let [begin, end] = [format!("<!-- {name} -->"), format!("<!-- end of {name} -->")];
    let block = format!("{begin}\n\n{}\n\n{end}", block.trim());
    let Some((before, rest)) = page.split_once(&begin) else {
        return Ok(format!("{}\n\n## {title}\n\n{block}\n", page.trim_end()));
    };
    let (_, after) = rest.split_once(&end).with_context(|| format!("`{begin}` has no `{end}`"))?;
    Ok(format!("{before}{block}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_added_once_and_then_replaced() {
        let page = "# Results\n\nwords\n";
        let once = replaced(page, "a table", "A, driver", "one").unwrap();
        assert!(once.starts_with("# Results\n\nwords\n\n## A, driver\n\n<!-- a table -->\n\none\n"));
        let other = replaced(&once, "b table", "B", "three").unwrap();
        let twice = replaced(&other, "a table", "A, driver", "two").unwrap();
        assert_eq!(twice, other.replace("one", "two"));
    }

    #[test]
    fn a_block_without_an_end_is_not_replaced_by_guessing() {
        let error = replaced("<!-- a table -->\nwords", "a table", "A", "new").unwrap_err().to_string();
        assert!(error.contains("<!-- end of a table -->"), "{error}");
    }
}
