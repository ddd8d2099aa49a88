//! The command line, and the parts of a run.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};

/// Tries wgpu-clamp on the GPUs of this machine and writes a report: report/report.md is what to paste into an issue.
#[derive(Debug, Parser, PartialEq, Eq)]
#[command(name = "run")]
pub struct Options {
    /// The minutes for all parts, from 0.1 to 10000; a part that does not end in its share is ended.
    #[arg(long = "minutes", value_name = "N", default_value = "30", value_parser = minutes)]
    pub time: Duration,
    /// Only adapters whose line contains this in any case, such as nvidia or vulkan; software drivers too.
    #[arg(long, value_name = "TEXT", value_parser = |text: &str| Ok::<_, String>(text.to_lowercase()))]
    pub adapter: Option<String>,
    /// The folder of the report; if not given, report beside this program, or report-2 if that exists.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The parts to run, in the order of this list; all if none is given.
    #[arg(value_name = "PART")]
    parts: Vec<Part>,
}

impl Options {
    /// The parts that were asked for, in their order.
    pub fn parts(&self) -> Vec<Part> {
        let wanted = |part: &&Part| self.parts.is_empty() || self.parts.contains(part);
        Part::value_variants().iter().filter(wanted).copied().collect()
    }
}

/// A part of a run. The most valuable parts come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The GPU against the CPU reference, and against the outputs of three standards' runtimes
    Tests,
    /// The self-test: every pair of dtypes on every kernel
    Doctor,
    /// The speed of each kernel beside a copy of the same bytes
    Table,
    /// The speed of the layouts that people bring
    Layouts,
    /// The time to a kernel's first result
    First,
    /// Every pattern of 32 bits, as far as the time goes
    Patterns,
    /// torch and `CuPy`, where Python has them and the GPU has CUDA
    Peers,
}

impl Part {
    /// The word that is typed.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Whether the part runs on each adapter, instead of the best one only.
    pub fn is_for_each_adapter(self) -> bool {
        matches!(self, Self::Tests | Self::Doctor)
    }

    /// The part's share of the time, relative to the other parts' weights.
    pub fn weight(self) -> u32 {
        match self {
            Self::Tests => 30,
            Self::Doctor | Self::Table | Self::Layouts => 20,
            Self::Patterns => 15,
            Self::First | Self::Peers => 5,
        }
    }
}

fn minutes(text: &str) -> Result<Duration, String> {
    let minutes = text.parse().ok().filter(|minutes| (0.1..=10_000.0).contains(minutes));
    minutes
        .map(|minutes: f64| Duration::from_secs_f64(minutes * 60.0))
        .ok_or("a number from 0.1 to 10000 is needed".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, clap::Error> {
        Options::try_parse_from(["run"].into_iter().chain(line.split_whitespace()))
    }

    #[test]
    fn parts_are_taken_in_their_own_order_and_once() {
        let all = parsed("").unwrap();
        assert_eq!((all.parts().as_slice(), all.time), (Part::value_variants(), Duration::from_secs(1800)));
        let some = parsed("--minutes 0.5 --adapter RADV --out there table tests table").unwrap();
        assert_eq!(some.parts(), [Part::Tests, Part::Table]);
        assert_eq!((some.time, some.adapter), (Duration::from_secs(30), Some("radv".to_owned())));
        assert_eq!(some.out, Some("there".into()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, named) in
            [("tset", "tset"), ("--minutes soon", "soon"), ("--minutes 0", "'0'"), ("--minutes NaN", "NaN")]
        {
            let error = parsed(line).unwrap_err().to_string();
            assert!(error.contains(named), "{line}: {error}");
        }
    }
}
