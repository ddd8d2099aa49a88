//! A row of the table before it is measured, and after.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use wgpu_clamp::DType;

use crate::bench::Bench;
use crate::case::Case;
use crate::clock::Work;
use crate::stats::Stats;
use crate::table::figure;

/// Makes the buffers of a row and records its work.
pub type Prepare = Box<dyn FnOnce(&Bench) -> Result<Trial>>;

/// Fails if the results of a row are wrong.
pub type Check = Box<dyn FnOnce(&Bench) -> Result<()>>;

/// A row to measure. Nothing is allocated before its turn comes.
pub struct Row {
    /// The row's section of the table.
    pub section: &'static str,
    /// The row's name.
    pub name: String,
    /// The dtype of the elements, if there is one dtype.
    pub dtype: Option<DType>,
    /// The goals on a GPU and on a software driver.
    pub goals: [Goal; 2],
    /// The unit of the samples.
    pub unit: Unit,
    /// The case, for a row of [`Case::row`].
    pub case: Option<Case>,
    /// Makes the buffers and records the work.
    pub prepare: Prepare,
}

impl Row {
    /// A row without a case whose samples are seconds.
    pub fn new(
        section: &'static str,
        name: impl Into<String>,
        dtype: DType,
        goals: [Goal; 2],
        prepare: impl FnOnce(&Bench) -> Result<Trial> + 'static,
    ) -> Self {
        let (name, dtype, prepare) = (name.into(), Some(dtype), Box::new(prepare));
        Self { section, name, dtype, goals, unit: Unit::Seconds, case: None, prepare }
    }
}

/// A row with its buffers, ready to be measured.
pub struct Trial {
    /// Bytes of the output; of a conversion, half of the bytes read and written.
    pub bytes: u64,
    /// The library's work.
    pub ours: Work,
    /// The rivals; the fastest one counts.
    pub rivals: Vec<Rival>,
    /// Fails if the results are wrong.
    pub check: Check,
}

/// Work that the library's is compared with.
pub struct Rival {
    /// The rival's name.
    pub name: String,
    /// The rival's work.
    pub work: Work,
}

/// The goal of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The least ratio of the rival's time to ours.
    Speed(f64),
    /// The greatest ratio of our time to the rival's.
    Time(f64),
    /// The greatest figure of ours alone, in the row's unit.
    Absolute(f64),
    /// No goal: the figure is only reported.
    Report,
}

/// The unit of a row's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Heap allocations.
    Allocations,
}

/// The outcome of a row against its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Met,
    Missed,
    /// There is no goal.
    Report,
    /// The results differ from the reference, or there are none.
    Wrong,
}

/// The times of a trial.
pub(crate) struct Measured {
    pub(crate) bytes: u64,
    pub(crate) ours: Stats,
    /// Name and times of each rival.
    pub(crate) rivals: Vec<(String, Stats)>,
    /// What is wrong with the results.
    pub(crate) error: Option<String>,
}

/// A measured row of the table.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) section: String,
    pub(crate) name: String,
    pub(crate) dtype: Option<String>,
    /// Bytes of the output; of a conversion, half of the bytes read and written.
    pub(crate) bytes: u64,
    pub(crate) unit: Unit,
    /// The library's times, unless it failed.
    pub(crate) ours: Option<Stats>,
    /// Name and times of each rival.
    pub(crate) rivals: Vec<(String, Stats)>,
    /// The fastest rival's time over ours, or for [`Goal::Time`] ours over the rival's.
    pub(crate) ratio: Option<f64>,
    /// The goal as printed.
    pub(crate) goal: String,
    /// The goal as a number.
    pub(crate) target: Option<f64>,
    /// Whether the ratio is our time over the rival's, so that above 1 is slower.
    pub(crate) time_over_time: bool,
    pub(crate) verdict: Verdict,
    pub(crate) error: Option<String>,
}

impl Outcome {
    /// Measures a row and holds its figure to its goal.
    pub(crate) fn of(row: Row, bench: &Bench) -> Self {
        let Row { section, name, dtype, goals, unit, prepare, .. } = row;
        let goal = goals[usize::from(bench.device.is_cpu())];
        let measured = prepare(bench).and_then(|trial| bench.run(trial));
        let (bytes, ours, rivals, error) = match measured {
            Ok(Measured { bytes, ours, rivals, error }) => (bytes, Some(ours), rivals, error),
            Err(error) => (0, None, Vec::new(), Some(format!("{error:#}"))),
        };
        let (target, text) = match goal {
            Goal::Speed(least) => (Some(least), format!("≥ {least:.2}")),
            Goal::Time(most) => (Some(most), format!("≤ {most:.2} in time")),
            Goal::Absolute(most) => (Some(most), format!("≤ {}", figure(most, unit))),
            Goal::Report => (None, "–".to_owned()),
        };
        let mut outcome = Self {
            section: section.to_owned(),
            name,
            dtype: dtype.map(|dtype| dtype.name().to_owned()),
            bytes,
            unit,
            ours,
            rivals,
            ratio: None,
            goal: text,
            target,
            time_over_time: matches!(goal, Goal::Time(_)),
            verdict: Verdict::Wrong,
            error,
        };
        outcome.judge(goal);
        outcome
    }

    /// Sets the ratio and the verdict.
    fn judge(&mut self, goal: Goal) {
        let Some(ours) = self.ours.as_ref().map(|stats| stats.median) else { return };
        let theirs = self.best().map(|(_, stats)| stats.median);
        self.ratio = theirs.map(|theirs| if self.time_over_time { ours / theirs } else { theirs / ours });
        let reached = match goal {
            Goal::Speed(least) => self.ratio.map(|ratio| ratio >= least),
            Goal::Time(most) => self.ratio.map(|ratio| ratio <= most),
            Goal::Absolute(most) => Some(ours <= most),
            Goal::Report => None,
        };
        self.verdict = match reached {
            _ if self.error.is_some() => Verdict::Wrong,
            Some(true) => Verdict::Met,
            Some(false) => Verdict::Missed,
            None => Verdict::Report,
        };
    }

    /// The fastest rival.
    pub(crate) fn best(&self) -> Option<&(String, Stats)> {
        self.rivals.iter().min_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))
    }

    /// Their time over ours, so that more is faster, of a number in the unit of `ratio`.
    pub(crate) fn speed(&self, ratio: f64) -> f64 {
        if self.time_over_time { 1.0 / ratio } else { ratio }
    }
}
