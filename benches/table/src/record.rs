//! `--from`: copies the figures of a `--json` file into RESULTS.md.
//!
//! Each adapter and kind of table has a block between two comments, which is replaced as a whole. A new block goes
//! behind the adapter's other blocks, or under a new heading. Pictures and full figures become files beside the page.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::dump::Dump;
use crate::{first, growth, plot, sweep, table};

/// Number of the sweep's worst rows that are shown.
const WORST: usize = 5;

/// Copies the figures of `dump` into the page; returns the names of its tables. Fails if rows are missing and the page
/// already has a complete table.
pub fn record(dump: &Dump, page: &Path) -> Result<Vec<String>> {
    let mut text = fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let mut names = Vec::new();
    let slug = dump.head.slug();
    let kinds = [
        ("table", dump.rows.is_empty()),
        ("growth", dump.growth.is_empty()),
        ("layouts", dump.layouts.is_empty()),
        ("first", dump.first.is_empty()),
    ];
    for (kind, _) in kinds.into_iter().filter(|(_, is_empty)| !is_empty) {
        let name = format!("{slug} {kind}");
        if let Some(why) = &dump.left_out {
            let whole = text.contains(&begin(&name));
            ensure!(!whole, "the page has a complete {kind}; here rows are missing: {why}");
        }
        text = placed(&text, &slug, kind, dump.head.adapter(), &block(dump, kind, page)?)?;
        names.push(name);
    }
    ensure!(!names.is_empty(), "the file has no table");
    fs::write(page, text).with_context(|| format!("cannot write {}", page.display()))?;
    Ok(names)
}

/// The text of a block, at most a screen high. Its pictures and its full figures become files beside the page.
fn block(dump: &Dump, kind: &str, page: &Path) -> Result<String> {
    let (head, slug, title) = (&dump.head, dump.head.slug(), dump.head.title());
    let beside = |suffix: &str| page.with_file_name(format!("{slug}{suffix}"));
    let (mut block, tsv) = match kind {
        "table" => {
            plot::ratios(&beside(".svg"), &title, &dump.rows)?;
            let (summary, sections) = (table::summary(&dump.rows), table::sections(&dump.rows));
            let block =
                format!("![Ratio by row and dtype]({slug}.svg)\n\n{title}.\n\n{summary}.\n\n{sections}");
            (block, head.tsv() + &table::tsv(&dump.rows))
        }
        "growth" => {
            let mut block = String::new();
            for curve in &dump.growth {
                let suffix = curve.suffix();
                plot::curve(&beside(&format!("{suffix}.svg")), &title, curve)?;
                let _ = writeln!(block, "![{}]({slug}{suffix}.svg)", curve.name);
            }
            (format!("{block}\n{title}."), growth::tsv(&dump.growth))
        }
        "layouts" => {
            plot::cells(&beside("-layouts.svg"), &title, &dump.layouts)?;
            let picture = format!("![A copy's time over ours, by layout and dtypes]({slug}-layouts.svg)");
            let (summary, worst) = (sweep::summary(&dump.layouts), sweep::worst(&dump.layouts, WORST));
            (format!("{picture}\n\n{title}.\n\n{summary}\n{worst}"), sweep::tsv(&dump.layouts))
        }
        _ => (format!("{title}. {}", first::summary(&dump.first)), first::tsv(&dump.first)),
    };
    let file = beside(&format!("-{kind}.tsv"));
    fs::write(&file, tsv).with_context(|| format!("cannot write {}", file.display()))?;
    block.truncate(block.trim_end().len());
    let _ = write!(block, "\n\n[All rows]({slug}-{kind}.tsv), times in seconds.");
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
