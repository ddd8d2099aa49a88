//! The columns side by side, in markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::{Cell, Column, known};

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

    /// What differs and is not known to, a line each.
    #[must_use]
    pub fn unknown(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for column in &self.columns {
            let Column { implementation, adapter, config, failures, .. } = column;
            let place = format!("{implementation} ({config})");
            let new = failures.iter().filter(|failure| known::reason(adapter, failure).is_none());
            let new: Vec<_> = new.map(|failure| format!("{place}: {}", failure.replace('\n', " "))).collect();
            // Each known failure is of one element.
            let (differing, known) = (column.total().differing, failures.len());
            if new.is_empty() && differing != known {
                lines.push(format!("{place}: {differing} elements, {known} of them known"));
            }
            lines.extend(new);
        }
        lines
    }

    /// What is known to differ: the reason, and the implementations with their devices.
    fn known(&self) -> BTreeMap<&'static str, BTreeMap<&str, BTreeSet<String>>> {
        let mut all = BTreeMap::<_, BTreeMap<&str, BTreeSet<String>>>::new();
        for Column { implementation, adapter, config, failures, .. } in &self.columns {
            for reason in failures.iter().filter_map(|failure| known::reason(adapter, failure)) {
                all.entry(reason).or_default().entry(implementation).or_default().insert(config.to_string());
            }
        }
        all
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
        for line in self.unknown() {
            writeln!(f, "\nDiffers on {line}")?;
        }
        for (reason, places) in self.known() {
            let places = places.into_iter().map(|(name, configs)| {
                format!("{name} ({})", configs.into_iter().collect::<Vec<_>>().join("; "))
            });
            writeln!(f, "\nKnown to differ on {}: {reason}", places.collect::<Vec<_>>().join(", "))?;
        }
        writeln!(f, "\nEach cell: elements compared, then those that differ.\n")?;
        self.write_rows(f, "dtypes", &self.rows(|name| dtypes(name).to_owned()))?;
        writeln!(f)?;
        self.write_rows(f, "kernels", &self.rows(|name| kernels(name).to_owned()))?;
        writeln!(f, "\n<details><summary>Every specialization</summary>\n")?;
        self.write_rows(f, "specialization", &self.rows(str::to_owned))?;
        writeln!(f, "\n</details>")
    }
}

/// A specialization reads `u8 to f32, fast affine step, few channels, contiguous + words`.
fn dtypes(specialization: &str) -> &str {
    specialization.split(", ").next().unwrap_or_default()
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
    use crate::known::tests::FAILURE;
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
        assert_eq!(matrix.unknown(), ["a (downlevel limits, no feature): 1 elements, 0 of them known"]);
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
            "| u8, no affine step, words | 235,567: 1 | – |",
        ] {
            assert!(text.contains(row), "{row} in\n{text}");
        }
    }

    #[test]
    fn what_is_known_is_said_once_and_what_is_not_is_named() {
        let cells = &[("f32, fast affine step, pixels", 6584, 1)];
        let failing = |implementation, limits| Column {
            failures: vec![FAILURE.to_owned()],
            ..column(implementation, limits, cells)
        };
        let mut columns = vec![
            failing("SwiftShader", Limits::Default),
            failing("SwiftShader", Limits::Downlevel),
            Column { adapter: "google swiftshader".to_owned(), ..failing("Dawn", Limits::Default) },
        ];
        let matrix = Matrix::new(columns.clone());
        assert!(matrix.unknown().is_empty(), "{:?}", matrix.unknown());
        let text = matrix.to_string();
        assert_eq!(text.matches("iffer on ").count(), 1, "{text}");
        let places = "\n\nKnown to differ on Dawn (default limits, no feature), SwiftShader (default limits, no feature; \
                      downlevel limits, no feature): `Fast`";
        assert!(text.contains(places), "{text}");

        // Elsewhere, or beside another one, it is not.
        columns.push(failing("lavapipe", Limits::Default));
        columns[0].failures.push("a run: differs".to_owned());
        columns[1].cells.insert("u8".to_owned(), Cell { elements: 9, differing: 1 });
        let matrix = Matrix::new(columns);
        let (unknown, text) = (matrix.unknown(), matrix.to_string());
        for (line, start) in unknown.iter().zip([
            "SwiftShader (default limits, no feature): a run: differs",
            "SwiftShader (downlevel limits, no feature): 2 elements, 1 of them known",
            "lavapipe (default limits, no feature): every third element",
        ]) {
            assert!(line.starts_with(start) && text.contains(&format!("\n\nDiffers on {line}\n")), "{line}");
        }
        assert_eq!(unknown.len(), 3);
    }

    #[test]
    fn digits_are_grouped() {
        for (number, text) in [(0, "0"), (12, "12"), (123, "123"), (1234, "1,234"), (123_456, "123,456")] {
            assert_eq!(grouped(number), text);
        }
    }
}
