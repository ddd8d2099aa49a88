//! The columns side by side, in markdown.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Cell, Column};

/// The columns that there are, those of one implementation next to each other.
#[derive(Debug)]
pub struct Matrix {
    columns: Vec<Column>,
}

impl Matrix {
    /// In the order of the implementations' first columns.
    #[must_use]
    pub fn new(columns: Vec<Column>) -> Self {
        let mut sorted: Vec<Column> = Vec::new();
        for column in columns {
            let last = sorted.iter().rposition(|other| other.implementation == column.implementation);
            sorted.insert(last.map_or(sorted.len(), |last| last + 1), column);
        }
        Self { columns: sorted }
    }

    /// What differs, a line for each case.
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

    /// What each implementation made of each row, whatever the device's limits and features; a row is what `row` says of
    /// a specialization.
    fn rows<'a>(&'a self, row: impl Fn(&'a str) -> String) -> BTreeMap<String, BTreeMap<&'a str, Cell>> {
        let mut rows = BTreeMap::<String, BTreeMap<&str, Cell>>::new();
        for column in &self.columns {
            for (specialization, cell) in &column.cells {
                let cells = rows.entry(row(specialization)).or_default();
                cells.entry(&column.implementation).or_default().add(*cell);
            }
        }
        rows
    }

    fn write_rows(
        &self,
        f: &mut fmt::Formatter<'_>,
        head: &str,
        rows: &BTreeMap<String, BTreeMap<&str, Cell>>,
    ) -> fmt::Result {
        let names = self.implementations();
        writeln!(f, "| {head} | {} |", names.join(" | "))?;
        writeln!(f, "| --- |{}", " ---: |".repeat(names.len()))?;
        for (row, cells) in rows {
            write!(f, "| {row} |")?;
            for name in &names {
                let cell =
                    cells.get(name).map(|cell| format!("{}: {}", grouped(cell.elements), cell.differing));
                write!(f, " {} |", cell.as_deref().unwrap_or("–"))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| implementation | adapter | device | date | cases | elements | differing | time |")?;
        writeln!(f, "| --- | --- | --- | --- | ---: | ---: | ---: | ---: |")?;
        for column in &self.columns {
            let Column { implementation, adapter, config, date, cases, seconds, .. } = column;
            let Cell { elements, differing } = column.total();
            writeln!(
                f,
                "| {implementation} | {adapter} | {config} | {date} | {cases} | {} | {differing} | {seconds} s |",
                grouped(elements)
            )?;
        }
        for line in self.differing() {
            writeln!(f, "\nDiffers on {line}")?;
        }
        writeln!(f, "\nEach cell: elements compared, then those that differ.\n")?;
        self.write_rows(f, "dtypes", &self.rows(|name| dtypes(name).to_owned()))?;
        writeln!(f)?;
        self.write_rows(f, "kernels", &self.rows(|name| kernels(name).to_owned()))?;
        writeln!(f, "\n<details><summary>Every arithmetic</summary>\n")?;
        self.write_rows(f, "arithmetic", &self.rows(|name| arithmetic(name).to_owned()))?;
        writeln!(f, "\n</details>")
    }
}

/// A specialization reads `u8 to f32, fast affine step, few channels, contiguous + words`.
fn dtypes(specialization: &str) -> &str {
    specialization.split(", ").next().unwrap_or_default()
}

/// A specialization but for its kernels.
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
    fn configurations_of_one_implementation_share_a_column() {
        let matrix = Matrix::new(vec![
            column("a", Limits::Default, &[("u8, no affine step, words", 1000, 0)]),
            column("b", Limits::Default, &[("f32, no affine step, words", 5, 0)]),
            column("a", Limits::Downlevel, &[("u8, no affine step, words", 234_567, 1)]),
        ]);
        let text = matrix.to_string();
        assert!(
            text.contains(
                "| a | a 1.0 | downlevel limits, no feature | 2026-11-22 | 1 | 234,567 | 1 | 7 s |\n| b |"
            ),
            "{text}"
        );
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
        let text = matrix.to_string();
        for line in lines {
            assert!(text.contains(&format!("\n\nDiffers on {line}\n")), "{line} in\n{text}");
        }
    }

    #[test]
    fn digits_are_grouped() {
        for (number, text) in [(0, "0"), (12, "12"), (123, "123"), (1234, "1,234"), (123_456, "123,456")] {
            assert_eq!(grouped(number), text);
        }
    }
}
