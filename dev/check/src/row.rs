//! Rows of tables in the documentation.

use std::fmt;

use crate::report::grouped;
use crate::{FIGURES, Report, SelfTest};

/// The results of an implementation's devices. Written out, it is a row of the table in docs/PORTABILITY.md.
#[derive(Clone, Debug, Default)]
pub struct Row {
    implementation: String,
    /// The adapter, its driver and version, in its own words.
    pub adapter: String,
    /// Year, month and day.
    date: String,
    devices: usize,
    cases: usize,
    elements: usize,
    differing: usize,
}

impl Row {
    /// A row without results.
    #[must_use]
    pub fn new(implementation: &str, adapter: &str, date: &str) -> Self {
        let [implementation, adapter, date] = [implementation, adapter, date].map(cell);
        Self { implementation, adapter, date, ..Self::default() }
    }

    /// The row of a report, of one device.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let Report { backend, adapter, date, commit, self_test, .. } = report;
        let SelfTest { extent, cases, of, elements, differing, .. } = self_test;
        let stopped = if cases < of { ", not finished" } else { "" };
        let (implementation, date) = (format!("{backend}, {extent}{stopped}"), format!("{date}, {commit}"));
        let (cases, elements, differing) = (*cases, *elements, *differing);
        Self { devices: 1, cases, elements, differing, ..Self::new(&implementation, adapter, &date) }
    }

    /// Runs these cases of `host`'s self-test with `progress`, with plans for a GPU and for a CPU: every implementation
    /// meets the texts of both.
    ///
    /// # Errors
    ///
    /// A case could not be run. A wrong result is not an error.
    #[cfg(feature = "device")]
    pub async fn add(
        &mut self,
        host: &wgpu_clamp::Host,
        cases: std::ops::Range<usize>,
        mut progress: impl FnMut(usize, usize, &wgpu_clamp::self_test::Outcome) + Send,
    ) -> Result<(), wgpu_clamp::Error> {
        use wgpu_clamp::Host;

        // Each device has the same cases.
        (self.devices, self.cases) = (self.devices + 1, 0);
        for cpu in [false, true] {
            let host = Host::new(&host.clamper().clone().with_cpu(cpu), host.queue());
            let test = host.self_test().with_cases(cases.clone()).with_progress(&mut progress);
            for outcome in test.run().await?.outcomes() {
                self.cases += 1;
                self.elements += outcome.report.elements;
                self.differing += crate::check::differing(&outcome.report);
            }
        }
        Ok(())
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { implementation, adapter, date, devices, cases, differing, .. } = self;
        let elements = grouped(self.elements);
        write!(
            f,
            "| {implementation} | {adapter} | {devices} | {date} | {cases} | {elements} | {differing} |"
        )
    }
}

/// Tables that reports add rows to.
#[derive(Clone, Copy, Debug)]
pub enum Table {
    /// Where the bits were compared, in docs/PORTABILITY.md.
    Portability,
    /// How fast devices were, in benches/RESULTS.md.
    Results,
}

impl Table {
    /// The line above its rows.
    #[must_use]
    pub const fn head(self) -> &'static str {
        match self {
            Self::Portability => {
                "| implementation | adapter and driver | devices | date | cases | elements | differing |"
            }
            Self::Results => {
                "| adapter and driver | date, commit, clock | copy, GB/s | f32 | f16 | u8 | u8 picture to f32 planes \
                 | f32 to i8, a scale per row |"
            }
        }
    }

    /// A report's row; none if it has not measured what the table tells.
    #[must_use]
    pub fn row(self, report: &Report) -> Option<String> {
        let Report { adapter, date, commit, .. } = report;
        match self {
            Self::Portability => (report.self_test.cases > 0).then(|| Row::of(report).to_string()),
            Self::Results => report.speed.as_ref().map(|speed| {
                let named = |name: &str| speed.clamps.iter().find(|clamp| clamp.name == name);
                let ratio =
                    |name| named(name).map_or("–".to_owned(), |clamp| format!("{:.2}", clamp.ratio));
                let ratios: Vec<_> = FIGURES.into_iter().map(ratio).collect();
                let [adapter, date, commit, clock] =
                    [adapter, date, commit, &speed.clock].map(|text| cell(text));
                let ratios = ratios.join(" | ");
                format!("| {adapter} | {date}, {commit}, {clock} | {:.0} | {ratios} |", speed.copy)
            }),
        }
    }
}

/// A text that stays within its cell of a table, whoever sent it.
fn cell(text: &str) -> String {
    text.replace('|', "/").replace('<', "&lt;").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Puts `row` behind the last row of the table with this `head`, unless it has the row already. None if the page has no such
/// table.
#[must_use]
pub fn insert(page: &str, head: &str, row: &str) -> Option<String> {
    let mut lines: Vec<&str> = page.lines().collect();
    let start = lines.iter().position(|line| *line == head)?;
    let end =
        lines[start..].iter().position(|line| !line.starts_with('|')).map_or(lines.len(), |n| start + n);
    if !lines[start..end].contains(&row) {
        lines.insert(end, row);
    }
    Some(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Figure, Speed};

    const PAGES: [(Table, &str); 2] = [
        (Table::Portability, include_str!("../../../docs/PORTABILITY.md")),
        (Table::Results, include_str!("../../../benches/RESULTS.md")),
    ];

    fn report() -> Report {
        // Another order than the table's, and none of the others.
        let clamps = [("f16", 0.9), ("f32", 0.97)].map(|(name, ratio)| Figure {
            name: name.to_owned(),
            ratio,
            rate: 9.0,
        });
        Report {
            backend: "Vulkan".to_owned(),
            adapter: "a\n| GPU |".to_owned(),
            date: "2026-11-28".to_owned(),
            commit: "abc".to_owned(),
            self_test: SelfTest {
                extent: "quick".to_owned(),
                cases: 3,
                of: 270,
                elements: 1_234_567,
                differing: 2,
                ..SelfTest::default()
            },
            speed: Some(Speed {
                clock: "timestamps".to_owned(),
                clamps: clamps.to_vec(),
                copy: 301.4,
                bytes: 0,
            }),
            ..Report::default()
        }
    }

    #[test]
    fn a_report_becomes_a_row_of_each_page() {
        for (table, page) in PAGES {
            let row = table.row(&report()).unwrap();
            let columns = |line: &str| line.matches('|').count();
            assert_eq!(columns(&row), columns(table.head()), "{row}");
            let once = insert(page, table.head(), &row).unwrap();
            assert_eq!(once.len(), page.len() + row.len() + 1);
            assert_eq!(insert(&once, table.head(), &row).unwrap(), once, "no row comes twice");
        }
        assert!(Table::Results.head().ends_with(&format!(" | {} |", FIGURES.join(" | "))));
        let row = Row::of(&report()).to_string();
        assert_eq!(
            row,
            "| Vulkan, quick, not finished | a / GPU / | 1 | 2026-11-28, abc | 3 | 1,234,567 | 2 |"
        );
        let row = Table::Results.row(&report()).unwrap();
        assert_eq!(row, "| a / GPU / | 2026-11-28, abc, timestamps | 301 | 0.97 | 0.90 | – | – | – |");
    }

    #[test]
    fn rows_go_below_the_rows_of_their_table() {
        let page = "| a |\n| - |\n| 1 |\n\n| b |\n| - |\n";
        assert_eq!(insert(page, "| a |", "| 2 |").unwrap(), "| a |\n| - |\n| 1 |\n| 2 |\n\n| b |\n| - |\n");
        assert_eq!(insert(page, "| b |", "| 2 |").unwrap(), "| a |\n| - |\n| 1 |\n\n| b |\n| - |\n| 2 |\n");
        assert_eq!(insert(page, "| c |", "| 2 |"), None);
    }

    #[test]
    fn what_did_not_run_gives_no_row() {
        assert!(Table::Portability.row(&Report::default()).is_none());
        assert!(Table::Results.row(&Report::default()).is_none());
    }
}
