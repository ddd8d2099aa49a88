//! A report: what a person sends of a device, as text for an issue.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The kernels, and the words in a printed plan that tell that it has one.
pub const KERNELS: [(&str, &str); 8] = [
    ("stream", "stream kernel"),
    ("stepping", "(any to"),
    ("across packets", "across packets"),
    ("boxes", "boxes kernel"),
    ("squares", "in squares"),
    ("exchange", "exchanged"),
    ("words", "words kernel"),
    ("numbers on the GPU", "+ gather"),
];

/// What a check of a device found. Its text is Markdown and holds the report itself as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of wgpu-clamp.
    #[serde(rename = "crate")]
    pub version: String,
    /// The commit of the checking program.
    pub commit: String,
    /// Year, month and day.
    pub date: String,
    /// The operating system, or the browser's name for itself.
    pub system: String,
    /// wgpu's name of the graphics API.
    pub backend: String,
    /// Name, backend, kind and driver of the adapter, in its own words.
    pub adapter: String,
    /// Whether the adapter says that it computes on a CPU.
    pub is_cpu: bool,
    /// The device's conversions of F16, compared with IEEE 754: "right", "wrong" or "not run".
    pub f16_conversions: String,
    /// The device's limits, in wgpu's names.
    pub limits: BTreeMap<String, u64>,
    /// The device's optional features, in wgpu's names.
    pub features: Vec<String>,
    /// The comparison with the CPU reference.
    pub self_test: SelfTest,
    /// The measurement; none if it did not take place.
    pub speed: Option<Speed>,
    /// Why the check ended early.
    pub ended: Option<String>,
}

/// The results of a self-test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfTest {
    /// Which cases were to run.
    pub extent: String,
    /// How many of them ran.
    pub cases: usize,
    /// How many there are.
    pub of: usize,
    /// Elements compared.
    pub elements: usize,
    /// Elements that differ, and one for each case that changed a byte beside its output.
    pub differing: usize,
    /// The time that the cases took.
    pub seconds: f64,
    /// Each pair of dtypes on each kernel that met.
    pub cells: Vec<Cell>,
    /// The cases with a difference, at most [`SelfTest::MOST_FAILURES`] of them.
    pub failures: Vec<Failure>,
}

impl SelfTest {
    /// More failed cases than these are counted, not told.
    pub const MOST_FAILURES: usize = 20;
}

/// A pair of dtypes on a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Such as "u8 to f16".
    pub pair: String,
    /// One of [`KERNELS`].
    pub kernel: String,
    /// How many cases ran.
    pub cases: usize,
    /// How many of them differ.
    pub failed: usize,
    /// The number of the first that differs.
    pub first: Option<usize>,
}

/// A case that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The case's number, for `--cases`.
    pub case: usize,
    /// The layout, the plan, the first difference (bits of the input, expected, got), and the clamp.
    pub text: String,
}

/// The clamps whose speed is measured, in the order of the table.
pub const FIGURES: [&str; 5] = ["f32", "f16", "u8", "u8 picture to f32 planes", "f32 to i8, a scale per row"];

/// The speed of a copy and of a few clamps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// "timestamps" of the device, or "wall time".
    pub clock: String,
    /// Bytes that each clamp and the copy read and write, about.
    pub bytes: u64,
    /// Bytes that a copy kernel reads and writes in a second, in 10⁹.
    pub copy: f64,
    /// The clamps, named as in [`FIGURES`].
    pub clamps: Vec<Figure>,
}

/// The speed of a clamp.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Such as "f32".
    pub name: String,
    /// Bytes that it reads and writes in a second, in 10⁹.
    pub rate: f64,
    /// Its rate over the copy's.
    pub ratio: f64,
}

/// What precedes and ends the JSON in a report's text.
const BLOCK: [&str; 2] = ["```json\n", "\n```"];

impl Report {
    /// Whether every case ran and none differs. The measurement may be missing.
    #[must_use]
    pub fn passed(&self) -> bool {
        let SelfTest { cases, of, differing, .. } = self.self_test;
        cases > 0 && cases == of && differing == 0
    }

    /// Finds the reports in a text, such as an issue.
    ///
    /// # Errors
    ///
    /// There is none, one lacks something, or another version of the crate made one.
    pub fn parse(text: &str) -> Result<Vec<Self>, String> {
        let [start, end] = BLOCK;
        // An issue that was written on Windows.
        let text = text.replace("\r\n", "\n");
        // An issue may have other blocks of JSON.
        let mut blocks = text.split(start).skip(1).filter(|block| block.starts_with("{\"crate\"")).peekable();
        blocks.peek().ok_or("it has no report: a block of JSON that begins with {\"crate\"")?;
        let parse =
            |block: &str| Self::from_json(block.split_once(end).ok_or("a block of JSON has no end")?.0);
        blocks.map(parse).collect()
    }

    /// The report as JSON, in one line.
    ///
    /// # Panics
    ///
    /// Never: names are strings, and a number that is none becomes `null`.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a report is data")
    }

    fn from_json(json: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Version {
            #[serde(rename = "crate")]
            version: String,
        }
        // The version first: another version's report may have other fields.
        let Version { version } = serde_json::from_str(json).map_err(|error| error.to_string())?;
        if version != crate::VERSION {
            return Err(format!("it is of version {version:?}, not {:?}", crate::VERSION));
        }
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    /// What a person reads of it, as Markdown.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut lines = vec![format!("- Self-test: {}", self.verdict())];
        lines.extend(self.ended.as_ref().map(|reason| format!("- The check ended early: {reason}")));
        let found = &self.f16_conversions;
        let used = if found == "right" { "used" } else { "not used" };
        lines.push(format!("- Conversions of F16 by the device: {found}, {used}"));
        if self.is_cpu {
            lines.push("- The adapter is a CPU: its speed says nothing about a GPU".to_owned());
        }
        let limits: Vec<_> = self.limits.iter().map(|(name, value)| format!("{name} {value}")).collect();
        lines.push(format!("- Limits: {}; features: {}", limits.join(", "), self.features.join(", ")));
        if let Some(Speed { clock, copy, clamps, .. }) = &self.speed {
            lines
                .push(format!("\n| by {clock} | GB/s read and written | of a copy |\n| --- | ---: | ---: |"));
            lines.push(format!("| copy kernel | {copy:.1} | 1.00 |"));
            let row = |Figure { name, rate, ratio }: &Figure| format!("| {name} | {rate:.1} | {ratio:.2} |");
            lines.extend(clamps.iter().map(row));
        }
        // The JSON has the others.
        let failures = self.self_test.failures.iter().take(3);
        lines.extend(failures.map(|Failure { case, text }| format!("\nCase {case}: {text}")));
        // No text of a driver opens or closes a block.
        lines.join("\n").replace('`', "'")
    }

    fn verdict(&self) -> String {
        let SelfTest { extent, cases, of, elements, differing, seconds, .. } = &self.self_test;
        let counts =
            format!("{cases} of {of} cases ({extent}), {} elements, {seconds:.0} s", grouped(*elements));
        match differing {
            _ if *cases == 0 => "no case ran".to_owned(),
            0 => format!("all bits agree with the CPU reference: {counts}"),
            1 => format!("**1 element differs** from the CPU reference: {counts}"),
            _ => format!("**{} elements differ** from the CPU reference: {counts}", grouped(*differing)),
        }
    }
}

impl fmt::Display for Report {
    /// The whole report: the [summary](Report::summary), and the JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, commit, date, system, adapter, .. } = self;
        let (json, [start, end]) = (self.to_json(), BLOCK);
        let adapter = adapter.replace('`', "'");
        writeln!(
            f,
            "**{adapter}**, wgpu-clamp {version} ({commit}), {date}, {system}\n\n{}",
            self.summary()
        )?;
        writeln!(f, "\n<details><summary>The report as JSON</summary>\n\n{start}{json}{end}\n\n</details>")
    }
}

/// A number in groups of three digits.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let figure = |name: &str, ratio| Figure { name: name.to_owned(), rate: 90.0 * ratio, ratio };
        Report {
            version: crate::VERSION.to_owned(),
            adapter: "a ```GPU``` | of \"mine\"".to_owned(),
            self_test: SelfTest {
                cases: 3,
                of: 3,
                elements: 1_234_567,
                seconds: 0.1,
                failures: vec![Failure { case: 7, text: "input 0x01, expected 0x02".to_owned() }],
                ..SelfTest::default()
            },
            speed: Some(Speed { clamps: vec![figure("f32", 0.97)], ..Speed::default() }),
            ..Report::default()
        }
    }

    #[test]
    fn reports_are_found_in_their_own_text() {
        let report = report();
        assert_eq!(Report::parse(&report.to_string()), Ok(vec![report.clone()]));
        let issue = format!("Hello,\n\n{report}\n```json\n[]\n```\n{report}\nBye").replace('\n', "\r\n");
        assert_eq!(Report::parse(&issue), Ok(vec![report.clone(), report]));
    }

    #[test]
    fn a_report_that_is_none_or_of_another_version_is_refused() {
        let refused = |text: &str| Report::parse(text).unwrap_err();
        assert!(refused("It does not work.").starts_with("it has no report"));
        assert!(refused("```json\n{}\n```").starts_with("it has no report"));
        assert_eq!(refused("```json\n{\"crate\""), "a block of JSON has no end");
        let other = Report { version: "0.0.1".to_owned(), ..report() }.to_string();
        assert_eq!(refused(&other), format!("it is of version \"0.0.1\", not {:?}", crate::VERSION));
        let short = format!("```json\n{{\"crate\":{:?}}}\n```", crate::VERSION);
        assert!(refused(&short).contains("missing field `commit`"));
    }

    #[test]
    fn only_a_whole_run_without_a_difference_passes() {
        assert!(report().passed());
        let with = |change: fn(&mut Report)| {
            let mut report = report();
            change(&mut report);
            report
        };
        assert!(!with(|report| report.self_test.differing = 1).passed());
        assert!(!with(|report| report.self_test.cases = 2).passed());
        assert!(!with(|report| (report.self_test.cases, report.self_test.of) = (0, 0)).passed());
    }
}
