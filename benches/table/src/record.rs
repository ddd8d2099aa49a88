//! `--from`: takes the figures of a file of `--json` into RESULTS.md.
//!
//! Each adapter and kind of table has a block between two comments, which is replaced as a whole. A new block goes
//! behind the adapter's other blocks, or under a new heading. Pictures and full figures become files beside the page.

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

/// Number of the sweep's worst rows that are shown.
const WORST: usize = 5;

/// Takes the figures of `dump` into the page; returns the names of its tables.
///
/// # Errors
///
/// There are no figures, they are a part where the page has a whole table, or a file cannot be read or written.
pub fn record(dump: &Dump, page: &Path) -> Result<Vec<String>> {
    let mut text = fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let mut names = Vec::new();
    for kind in kinds(dump) {
        let name = format!("{} {kind}", dump.head.slug());
        if let Some(why) = &dump.left_out {
            ensure!(
                !text.contains(&begin(&name)),
                "the page has a whole {kind}, this is a part of one: {why}"
            );
        }
        let block = block(dump, kind, page)?;
        text = placed(&text, dump.head.slug().as_str(), kind, dump.head.adapter(), &block)?;
        names.push(name);
    }
    ensure!(!names.is_empty(), "the file has no table");
    fs::write(page, text).with_context(|| format!("cannot write {}", page.display()))?;
    Ok(names)
}

/// The kinds of table that have figures.
fn kinds(dump: &Dump) -> Vec<&'static str> {
    let all = [
        ("table", dump.rows.is_empty()),
        ("growth", dump.growth.is_empty()),
        ("layouts", dump.layouts.is_empty()),
        ("first", dump.first.is_empty()),
    ];
    all.into_iter().filter(|(_, is_empty)| !is_empty).map(|(kind, _)| kind).collect()
}

/// The text of a block, at most a screen high. Its pictures and its full figures become files beside the page.
fn block(dump: &Dump, kind: &str, page: &Path) -> Result<String> {
    let (head, slug, title) = (&dump.head, dump.head.slug(), dump.head.title());
    let beside = |suffix: &str| page.with_file_name(format!("{slug}{suffix}"));
    let tsv = format!("-{kind}.tsv");
    let keep = |text: String| {
        let file = beside(&tsv);
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
    };
    let mut block = String::new();
    match kind {
        "table" => {
            plot::ratios(&beside(".svg"), &title, &dump.rows)?;
            keep(head.tsv() + &table::tsv(&dump.rows))?;
            let _ = write!(block, "![Ratio by row and dtype]({slug}.svg)\n\n{title}.\n\n");
            let _ = write!(block, "{}.\n\n{}", table::summary(&dump.rows), table::sections(&dump.rows));
        }
        "growth" => {
            for curve in &dump.growth {
                let suffix = curve.suffix();
                curves::draw(&beside(&format!("{suffix}.svg")), &title, curve)?;
                let _ = writeln!(block, "![{}]({slug}{suffix}.svg)", curve.name);
            }
            keep(curves::tsv(&dump.growth))?;
            let _ = write!(block, "\n{title}.");
        }
        "layouts" => {
            sweep::draw(&beside("-layouts.svg"), &title, &dump.layouts)?;
            keep(sweep::tsv(&dump.layouts))?;
            let _ = write!(
                block,
                "![A copy's time over ours, by layout and dtypes]({slug}-layouts.svg)\n\n{title}.\n\n{}\n{}",
                sweep::summary(&dump.layouts),
                sweep::worst(&dump.layouts, WORST)
            );
        }
        _ => {
            keep(first::tsv(&dump.first))?;
            let _ = write!(block, "{title}. {}", first::summary(&dump.first));
        }
    }
    block.truncate(block.trim_end().len());
    let _ = write!(block, "\n\n[All rows]({slug}{tsv}), times in seconds.");
    if let Some(why) = &dump.left_out {
        let _ = write!(block, "\n\nNot all rows: {why}.");
    }
    Ok(block)
}

/// The comment at the beginning of a block.
fn begin(name: &str) -> String {
    format!("<!-- {name} -->")
}

/// The page with the adapter's block of this kind replaced or added.
fn placed(page: &str, slug: &str, kind: &str, adapter: &str, block: &str) -> Result<String> {
    let last = format!("<!-- end of {slug} ");
    let (begin, end) = (begin(&format!("{slug} {kind}")), format!("{last}{kind} -->"));
    let block = format!("{begin}\n\n{}\n\n{end}", block.trim());
    if let Some((before, rest)) = page.split_once(&begin) {
        let (_, after) = rest.split_once(&end).with_context(|| format!("`{begin}` has no `{end}`"))?;
        return Ok(format!("{before}{block}{after}"));
    }
    let Some(at) = page.rfind(&last) else {
        return Ok(format!("{}\n\n## {adapter}\n\n{block}\n", page.trim_end()));
    };
    let line = page[at..].find('\n').map_or(page.len(), |length| at + length);
    Ok(format!("{}\n\n{block}{}", &page[..line], &page[line..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_added_once_and_then_replaced() {
        let page = "# Results\n\nwords\n";
        let once = placed(page, "a", "table", "A", "one").unwrap();
        assert!(once.starts_with("# Results\n\nwords\n\n## A\n\n<!-- a table -->\n\none\n"), "{once}");
        let other = placed(&once, "b", "table", "B", "three").unwrap();
        let twice = placed(&other, "a", "table", "A", "two").unwrap();
        assert_eq!(twice, other.replace("one", "two"));
    }

    #[test]
    fn the_tables_of_an_adapter_stand_together() {
        let page = placed("# Results\n", "a", "table", "A", "one").unwrap();
        let page = placed(&page, "b", "table", "B", "two").unwrap();
        let page = placed(&page, "a", "first", "A", "three").unwrap();
        let at = |text| page.find(text).unwrap();
        assert!(
            at("one") < at("three") && at("three") < at("two") && page.matches("## A").count() == 1,
            "{page}"
        );
    }

    #[test]
    fn a_block_without_an_end_is_not_replaced_by_guessing() {
        let error = placed("<!-- a table -->\nwords", "a", "table", "A", "new").unwrap_err().to_string();
        assert!(error.contains("<!-- end of a table -->"), "{error}");
    }
}
