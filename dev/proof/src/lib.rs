//! The self-test on an implementation of WebGPU, Vulkan, GL or Direct3D: a row of the table in docs/PORTABILITY.md.

#![forbid(unsafe_code)]

use std::fmt;
use std::ops::Range;

use wgpu_clamp::verify::Report;
use wgpu_clamp::{Error, Host, Lanes, Outcome, wgpu};

/// The limits of the devices, and their names. WebGPU promises the first everywhere.
#[must_use]
pub fn limits() -> [(&'static str, wgpu::Limits); 2] {
    [("default limits", wgpu::Limits::default()), ("downlevel limits", wgpu::Limits::downlevel_defaults())]
}

/// Parses a range of cases, such as `0..20`.
///
/// # Errors
///
/// The text is no range.
pub fn range(text: &str) -> Result<Range<usize>, String> {
    let ends = text.split_once("..").and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
    ends.ok_or_else(|| format!("{text:?} is not a range such as 0..20"))
}

/// The results of all devices of an implementation. Written out, it is a row of the table.
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
        let [implementation, adapter, date] = [implementation, adapter, date].map(str::to_owned);
        Self { implementation, adapter, date, ..Self::default() }
    }

    /// Runs these cases of `host`'s self-test with `progress`, with blocks for each kind of [`Lanes`]: every implementation
    /// meets a GPU's texts and a CPU's.
    ///
    /// # Errors
    ///
    /// A case could not be run. A wrong result is not an error.
    pub async fn add(
        &mut self,
        host: &Host,
        cases: Range<usize>,
        mut progress: impl FnMut(usize, usize, &Outcome) + Send,
    ) -> Result<(), Error> {
        (self.devices, self.cases) = (self.devices + 1, 0);
        for lanes in [Lanes::InStep, Lanes::InSequence] {
            let host = Host::new(&host.clamper().clone().with_lanes(lanes), host.queue());
            let test = host.self_test().cases(cases.clone()).with_progress(&mut progress);
            for outcome in test.run().await?.outcomes() {
                self.cases += 1;
                self.count(&outcome.report);
            }
        }
        Ok(())
    }

    /// A changed byte beside the output counts as one more element.
    fn count(&mut self, report: &Report) {
        self.elements += report.elements;
        self.differing += report.elements - report.matching + usize::from(report.stray.is_some());
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { implementation, adapter, date, devices, cases, differing, .. } = self;
        let digits = self.elements.to_string();
        let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
        let elements = groups.join(",");
        write!(
            f,
            "| {implementation} | {adapter} | {devices} | {date} | {cases} | {elements} | {differing} |"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu_clamp::{Clamp, Layout, verify};

    #[test]
    fn a_wrong_element_and_a_changed_byte_beside_the_output_count() {
        let layout = Layout::packed(&[2]).unwrap();
        let buffers = |dst_after| verify::Buffers {
            src_layout: &layout,
            src: &[0, 5],
            dst_layout: &layout,
            dst_before: &[0; 4],
            dst_after,
        };
        let mut row = Row { elements: 1_234_564, ..Row::new("a", "b", "c") };
        row.count(&verify::check(&Clamp::new(1_u8, 9), buffers(&[1, 5, 0, 0])).unwrap());
        assert_eq!(row.to_string(), "| a | b | 0 | c | 0 | 1,234,566 | 0 |");
        row.count(&verify::check(&Clamp::new(1_u8, 9), buffers(&[1, 4, 0, 7])).unwrap());
        assert_eq!(row.differing, 2);
    }

    #[test]
    fn the_page_has_a_table_of_such_rows() {
        let page = include_str!("../../../docs/PORTABILITY.md");
        let head =
            "| implementation | adapter and driver | devices | date | cases | elements | differing |\n";
        assert!(page.contains(head));
        let columns = |text: &str| text.matches('|').count();
        assert_eq!(columns(&Row::default().to_string()), columns(head));
    }

    #[test]
    fn cases_are_a_range() {
        assert_eq!(range("3..7"), Ok(3..7));
        assert!(range("3").is_err() && range("..").is_err());
    }
}
