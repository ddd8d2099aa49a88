//! The table of implementations in Markdown, its place in a page, and the table of all specializations.

use anyhow::{Context, Result};
use clamp_proof::{Column, Counts};
use indicatif::HumanCount;

/// One line for each case that differs.
pub fn differing(columns: &[Column]) -> Vec<String> {
    let lines = columns.iter().flat_map(|Column { implementation, config, failures, .. }| {
        let line =
            move |failure: &String| format!("{implementation} ({config}): {}", failure.replace('\n', " "));
        failures.iter().map(line)
    });
    lines.collect()
}

/// The name and the row of each implementation. A row adds up the implementation's devices.
pub fn rows(columns: &[Column]) -> Vec<(String, String)> {
    let mut sums: Vec<(Column, usize)> = Vec::new();
    for column in columns {
        match sums.iter_mut().find(|(sum, _)| sum.implementation == column.implementation) {
            Some((sum, devices)) => {
                sum.total.add(column.total);
                *devices += 1;
            }
            None => sums.push((column.clone(), 1)),
        }
    }
    let row = |(sum, devices): (Column, usize)| {
        let Column { implementation, adapter, date, cases, total: Counts { elements, differing }, .. } = sum;
        let elements = HumanCount(elements as u64);
        let row = format!(
            "| {implementation} | {adapter} | {devices} | {date} | {cases} | {elements} | {differing} |"
        );
        (implementation, row)
    };
    sums.into_iter().map(row).collect()
}

/// Tab-separated counts of each device and specialization.
pub fn specializations(columns: &[Column]) -> String {
    let lines = columns.iter().flat_map(|column| {
        column.specializations.iter().map(|(name, Counts { elements, differing })| {
            format!("{}\t{}\t{name}\t{elements}\t{differing}\n", column.implementation, column.config)
        })
    });
    "implementation\tdevice\tspecialization\telements\tdiffering\n".to_owned() + &lines.collect::<String>()
}

/// The line above the rows; an empty line follows them.
const RULE: &str = "| --- | --- | ---: | --- | ---: | ---: | ---: |\n";

/// Replaces the rows of these implementations in a page, by name, and appends the rows of new ones. Other rows stay.
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
    Ok(format!("{before}{RULE}{}\n\n{behind}", lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(implementation: &str, elements: usize, failures: &[&str]) -> Column {
        Column {
            implementation: implementation.to_owned(),
            adapter: format!("{implementation} 1.0"),
            config: "default limits, no feature".to_owned(),
            date: "2026-11-22".to_owned(),
            cases: 1,
            total: Counts { elements, differing: failures.len() },
            specializations: [("u8".to_owned(), Counts { elements, differing: failures.len() })].into(),
            failures: failures.iter().map(ToString::to_string).collect(),
            seconds: 7,
        }
    }

    #[test]
    fn devices_of_one_implementation_are_added_up() {
        let columns =
            [column("a", 1000, &[]), column("b", 5, &[]), column("a", 234_567, &["a run: differs"])];
        let row = |name: &str, row: &str| (name.to_owned(), row.to_owned());
        let expected = [
            row("a", "| a | a 1.0 | 2 | 2026-11-22 | 1 | 235,567 | 1 |"),
            row("b", "| b | b 1.0 | 1 | 2026-11-22 | 1 | 5 | 0 |"),
        ];
        assert_eq!(rows(&columns), expected);
    }

    #[test]
    fn each_device_has_a_line_per_specialization() {
        let text = specializations(&[column("a", 1000, &[]), column("b", 5, &["a run: differs"])]);
        let lines: Vec<_> = text.lines().skip(1).collect();
        let device = "default limits, no feature";
        assert_eq!(lines, [format!("a\t{device}\tu8\t1000\t0"), format!("b\t{device}\tu8\t5\t1")]);
    }

    #[test]
    fn what_differs_is_named_with_its_place() {
        let columns = [
            column("a", 6584, &["a run: differs\n  Clamp", "a copy: differs"]),
            column("b", 6584, &[]),
            column("c", 6584, &["a run: differs"]),
        ];
        let lines = [
            "a (default limits, no feature): a run: differs   Clamp",
            "a (default limits, no feature): a copy: differs",
            "c (default limits, no feature): a run: differs",
        ];
        assert_eq!(differing(&columns), lines);
    }

    #[test]
    fn rows_are_replaced_by_name_or_appended() {
        let page = |rows| format!("text\n\n| implementation |\n{RULE}{rows}\n\nmore\n\n");
        let rows = ["a", "c"].map(|name| (name.to_owned(), format!("| {name} | new |")));
        let text = with_rows(&page("| a | old |\n| ab | kept |"), rows.into()).unwrap();
        assert_eq!(text, page("| a | new |\n| ab | kept |\n| c | new |"));
        assert!(with_rows("no table", vec![]).is_err());
    }

    #[test]
    fn the_page_has_the_table() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/PORTABILITY.md");
        let page = std::fs::read_to_string(page).unwrap();
        assert_eq!(with_rows(&page, vec![]).unwrap(), page);
    }
}
