//! A row of the table before it is measured, and after.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use wgpu_clamp::DType;

use crate::bench::Bench;
use crate::case::Case;
use crate::clock::Work;
use crate::stats::Stats;

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
pub enum Verdict {
    /// The goal is reached.
    Met,
    /// The goal is missed.
    Missed,
    /// There is no goal.
    Report,
    /// The results differ from the reference, or there are none.
    Wrong,
}

/// A measured row of the table.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The row's section of the table.
    pub section: String,
    /// The row's name.
    pub name: String,
    /// The dtype's name.
    pub dtype: Option<String>,
    /// Bytes of the output; of a conversion, half of the bytes read and written.
    pub bytes: u64,
    /// The unit of the samples.
    pub unit: Unit,
    /// The library's times, unless it failed.
    pub ours: Option<Stats>,
    /// Name and times of each rival.
    pub rivals: Vec<(String, Stats)>,
    /// The fastest rival's time over ours, or for [`Goal::Time`] ours over the rival's.
    pub ratio: Option<f64>,
    /// The goal as printed.
    pub goal: String,
    /// The goal as a number.
    pub target: Option<f64>,
    /// Whether the ratio is our time over the rival's, so that above 1 is slower.
    pub time_over_time: bool,
    /// Whether the goal is met.
    pub verdict: Verdict,
    /// The error, if there was one.
    pub error: Option<String>,
}

impl Outcome {
    /// The fastest rival.
    #[must_use]
    pub fn best(&self) -> Option<&(String, Stats)> {
        self.rivals.iter().min_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))
    }

    /// Sets the ratio, the goal as a number and the verdict.
    pub(crate) fn judge(&mut self, goal: Goal) {
        self.time_over_time = matches!(goal, Goal::Time(_));
        let Some(ours) = self.ours.as_ref().map(|stats| stats.median) else {
            self.verdict = Verdict::Wrong;
            return;
        };
        let theirs = self.best().map(|(_, stats)| stats.median);
        self.ratio = theirs.map(|theirs| if self.time_over_time { ours / theirs } else { theirs / ours });
        let reached = match goal {
            Goal::Speed(least) => self.ratio.map(|ratio| ratio >= least),
            Goal::Time(most) => self.ratio.map(|ratio| ratio <= most),
            Goal::Absolute(most) => Some(ours <= most),
            Goal::Report => None,
        };
        self.verdict = match (self.error.is_some(), reached) {
            (true, _) => Verdict::Wrong,
            (false, Some(true)) => Verdict::Met,
            (false, Some(false)) => Verdict::Missed,
            (false, None) => Verdict::Report,
        };
        self.target = match goal {
            Goal::Speed(n) | Goal::Time(n) | Goal::Absolute(n) => Some(n),
            Goal::Report => None,
        };
    }
}
