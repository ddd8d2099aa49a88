//! What implementations made of the self-test, in Markdown: a row for each, and tables of all that they ran.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::{Cell, Column};

/// The columns of all devices, grouped by implementation.
#[derive(Debug)]
pub struct Matrix {
    columns: Vec<Column>,
}

impl Matrix {
    /// Sorts columns by the first appearance of their implementation.
    #[must_use]
    pub fn new(columns: Vec<Column>) -> Self {
        let mut sorted: Vec<Column> = Vec::new();
        for column in columns {
            let last = sorted.iter().rposition(|other| other.implementation == column.implementation);
            sorted.insert(last.map_or(sorted.len(), |last| last + 1), column);
        }
        Self { columns: sorted }
    }

    /// One line for each case that differs.
    #[must_use]
    pub fn differing(&self) -> Vec<String> {
        let lines = self.columns.iter().flat_map(|Column { implementation, config, failures, .. }| {
            let line = move |failure: &String| {
                format!("{implementation} ({config}): {}", failure.replace('\n', " "))
            };
            failures.iter().map(line)
        });
        lines.collect()
    }

    fn implementations(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.columns.iter().map(|column| column.implementation.as_str()).collect();
        names.dedup();
        names
    }

    /// The name and the row of each implementation, all of its devices together.
    #[must_use]
    pub fn rows(&self) -> Vec<(String, String)> {
        let groups = self.columns.chunk_by(|a, b| a.implementation == b.implementation);
        let row = |devices: &[Column]| {
            let Column { implementation, adapter, date, cases, .. } = &devices[0];
            let mut total = Cell::default();
            for column in devices {
                total.add(column.total());
            }
            let (count, elements) = (devices.len(), grouped(total.elements));
            let differing = total.differing;
            let row = format!(
                "| {implementation} | {adapter} | {count} | {date} | {cases} | {elements} | {differing} |"
            );
            (implementation.clone(), row)
        };
        groups.map(row).collect()
    }

    /// One table per question: which dtypes, which kernels, which arithmetic. A cell holds the elements compared and those
    /// that differ.
    #[must_use]
    pub fn tables(&self) -> String {
        let mut text = String::new();
        for (head, row) in
            [("dtypes", dtypes as fn(&str) -> &str), ("kernels", kernels), ("arithmetic", arithmetic)]
        {
            let names = self.implementations();
            _ = writeln!(text, "| {head} | {} |", names.join(" | "));
            _ = writeln!(text, "| --- |{}", " ---: |".repeat(names.len()));
            for (row, cells) in self.cells_by(row) {
                let cell = |name| match cells.get(name) {
                    Some(Cell { elements, differing }) => format!("{}: {differing}", grouped(*elements)),
                    None => "–".to_owned(),
                };
                let cells: Vec<_> = names.iter().map(cell).collect();
                _ = writeln!(text, "| {row} | {} |", cells.join(" | "));
            }
            _ = writeln!(text);
        }
        text
    }

    /// The sums of each implementation's cells by `row`, a part of the specialization's name.
    fn cells_by(&self, row: fn(&str) -> &str) -> BTreeMap<&str, BTreeMap<&str, Cell>> {
        let mut rows = BTreeMap::<&str, BTreeMap<&str, Cell>>::new();
        for column in &self.columns {
            for (specialization, cell) in &column.cells {
                let cells = rows.entry(row(specialization)).or_default();
                cells.entry(&column.implementation).or_default().add(*cell);
            }
        }
        rows
    }
}

/// A specialization reads `u8 to f32, fast affine step, few channels, contiguous + words`.
fn dtypes(specialization: &str) -> &str {
    specialization.split(", ").next().unwrap_or_default()
}

/// A specialization without its kernels.
fn arithmetic(specialization: &str) -> &str {
    specialization.rsplit_once(", ").map_or(specialization, |(arithmetic, _)| arithmetic)
}

fn kernels(specialization: &str) -> &str {
    specialization.rsplit(", ").next().unwrap_or_default()
}

/// Digits in groups of three.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let groups = digits.as_bytes()[first..].chunks(3).map(|group| String::from_utf8_lossy(group));
    let head = (first > 0).then(|| digits[..first].into());
    head.into_iter().chain(groups).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Limits};

    fn column(implementation: &str, limits: Limits, cells: &[(&str, usize, usize)]) -> Column {
        let cell = |&(name, elements, differing): &(&str, usize, usize)| {
            (name.to_owned(), Cell { elements, differing })
        };
        Column {
            implementation: implementation.to_owned(),
            adapter: format!("{implementation} 1.0"),
            config: Config { limits, features: false },
            date: "2026-11-22".to_owned(),
            cases: cells.len(),
            cells: cells.iter().map(cell).collect(),
            failures: vec![],
            seconds: 7,
        }
    }

    #[test]
    fn devices_of_one_implementation_are_added_up() {
        let matrix = Matrix::new(vec![
            column("a", Limits::Default, &[("u8, no affine step, words", 1000, 0)]),
            column("b", Limits::Default, &[("f32, no affine step, words", 5, 0)]),
            column("a", Limits::Downlevel, &[("u8, no affine step, words", 234_567, 1)]),
        ]);
        assert_eq!(
            matrix.rows(),
            [
                ("a".to_owned(), "| a | a 1.0 | 2 | 2026-11-22 | 1 | 235,567 | 1 |".to_owned()),
                ("b".to_owned(), "| b | b 1.0 | 1 | 2026-11-22 | 1 | 5 | 0 |".to_owned()),
            ]
        );
        let text = matrix.tables();
        for row in [
            "| dtypes | a | b |",
            "| u8 | 235,567: 1 | – |",
            "| words | 235,567: 1 | 5: 0 |",
            "| u8, no affine step | 235,567: 1 | – |",
        ] {
            assert!(text.contains(row), "{row} in\n{text}");
        }
    }

    #[test]
    fn what_differs_is_named_with_its_place() {
        let cells = &[("f32, fast affine step, pixels", 6584, 1)];
        let failing = |implementation, failures: &[&str]| Column {
            failures: failures.iter().map(ToString::to_string).collect(),
            ..column(implementation, Limits::Default, cells)
        };
        let matrix = Matrix::new(vec![
            failing("a", &["a run: differs\n  Clamp", "a copy: differs"]),
            failing("b", &[]),
            failing("c", &["a run: differs"]),
        ]);
        let lines = [
            "a (default limits, no feature): a run: differs   Clamp",
            "a (default limits, no feature): a copy: differs",
            "c (default limits, no feature): a run: differs",
        ];
        assert_eq!(matrix.differing(), lines);
    }

    #[test]
    fn digits_are_grouped() {
        for (number, text) in [(0, "0"), (12, "12"), (123, "123"), (1234, "1,234"), (123_456, "123,456")] {
            assert_eq!(grouped(number), text);
        }
    }
}
