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

/// A row to be measured. Nothing is allocated before its turn comes.
pub struct Row {
    /// The part of the table that it belongs to.
    pub section: &'static str,
    /// What is measured.
    pub name: String,
    /// Of the elements, where there is one dtype.
    pub dtype: Option<DType>,
    /// What it should reach on a GPU, and on a driver that runs on the CPU.
    pub goals: [Goal; 2],
    /// What the samples are.
    pub unit: Unit,
    /// What is clamped, where the row is of kernels alone.
    pub case: Option<Case>,
    /// Makes the buffers and records the work.
    pub prepare: Prepare,
}

/// A row with all that its turn takes.
pub struct Trial {
    /// Of the output; of a conversion, half of what is read and written.
    pub bytes: u64,
    /// The work of the library.
    pub ours: Work,
    /// What it is held against; the fastest counts.
    pub rivals: Vec<Rival>,
    /// Fails if the results are wrong.
    pub check: Check,
}

/// Something that the library is held against.
pub struct Rival {
    /// As printed.
    pub name: String,
    /// Its work.
    pub work: Work,
}

/// What a row should reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// Their time over ours, at least.
    Speed(f64),
    /// Our time over theirs, at most.
    Time(f64),
    /// Ours alone, at most, in the row's unit.
    Absolute(f64),
    /// None: the figure is only reported.
    Report,
}

/// What the samples of a row are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Heap allocations.
    Allocations,
}

/// Whether a row is what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The goal is reached.
    Met,
    /// It is not.
    Missed,
    /// There is none here.
    Report,
    /// The results are not those of the reference, or there are none.
    Wrong,
}

/// A row of the table.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The part of the table that it belongs to.
    pub section: String,
    /// What was measured.
    pub name: String,
    /// The dtype's name.
    pub dtype: Option<String>,
    /// Of the output; of a conversion, half of what is read and written.
    pub bytes: u64,
    /// What the samples are.
    pub unit: Unit,
    /// Of the library; none if it failed.
    pub ours: Option<Stats>,
    /// Of each rival.
    pub rivals: Vec<(String, Stats)>,
    /// Their time over ours, or ours over theirs, as the goal counts.
    pub ratio: Option<f64>,
    /// As printed.
    pub goal: String,
    /// The goal as a number.
    pub target: Option<f64>,
    /// Whether a ratio above one is slower.
    pub time_over_time: bool,
    /// Whether it is reached.
    pub verdict: Verdict,
    /// What went wrong.
    pub error: Option<String>,
}

impl Outcome {
    /// The fastest rival.
    #[must_use]
    pub fn best(&self) -> Option<&(String, Stats)> {
        self.rivals.iter().min_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))
    }

    /// Puts the ratio and the verdict in.
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
