//! The table of implementations in a page.

use anyhow::{Context, Result};

/// The line above the rows; an empty line follows them.
const RULE: &str = "| --- | --- | ---: | --- | ---: | ---: | ---: |\n";

/// Replaces the rows of these implementations, by name, and appends the rows of new ones. Other rows stay.
///
/// # Errors
///
/// The page has no such table.
pub fn with_rows(page: &str, rows: Vec<(String, String)>) -> Result<String> {
    let (before, table) = page.split_once(RULE).context("the page has no table of implementations")?;
    let (old, behind) = table.split_once("\n\n").context("no empty line ends the table")?;
    let mut lines: Vec<String> = old.lines().map(str::to_owned).collect();
    for (name, row) in rows {
        match lines.iter_mut().find(|line| line.starts_with(&format!("| {name} |"))) {
            Some(line) => *line = row,
            None => lines.push(row),
        }
    }
    Ok(format!("{before}{}{}\n\n{behind}", RULE, lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_replaced_by_name_or_appended() {
        let rule = RULE;
        let page = format!("text\n\n| implementation |\n{rule}| a | old |\n| ab | kept |\n\nmore\n\n");
        let rows = ["a", "c"].map(|name| (name.to_owned(), format!("| {name} | new |")));
        let text = with_rows(&page, rows.into()).unwrap();
        let expected =
            format!("text\n\n| implementation |\n{rule}| a | new |\n| ab | kept |\n| c | new |\n\nmore\n\n");
        assert_eq!(text, expected);
        assert!(with_rows("no table", vec![]).is_err());
    }

    #[test]
    fn the_page_has_the_table() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/PORTABILITY.md");
        let page = std::fs::read_to_string(page).unwrap();
        assert_eq!(with_rows(&page, vec![]).unwrap(), page);
    }
}
