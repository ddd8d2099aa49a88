//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::part::Part;

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
    /// The folder of the report: report beside this program, or report-2 where that is taken.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The parts; without any, all. They run in this order.
    #[arg(value_name = "PART")]
    parts: Vec<Part>,
}

impl Options {
    /// The parts that were asked for, in their order.
    pub fn parts(&self) -> Vec<Part> {
        let wanted = |part: &Part| self.parts.is_empty() || self.parts.contains(part);
        Part::ALL.into_iter().filter(wanted).collect()
    }
}

fn minutes(text: &str) -> Result<Duration, String> {
    let minutes: Option<f64> = text.parse().ok();
    let minutes = minutes.filter(|minutes| (0.1..=10_000.0).contains(minutes));
    let minutes = minutes.ok_or_else(|| "a number from 0.1 to 10000 is needed".to_owned())?;
    Ok(Duration::from_secs_f64(minutes * 60.0))
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
        assert_eq!((all.parts(), all.time), (Part::ALL.to_vec(), Duration::from_secs(1800)));
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
