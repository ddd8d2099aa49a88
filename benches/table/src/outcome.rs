//! A measured row: its figures, compared with its goal.

use serde::Serialize;

use crate::bench::Bench;
use crate::row::{Goal, Row, Unit};
use crate::stats::Stats;
use crate::text::figure;

/// The outcome of a row against its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Met,
    Missed,
    /// There is no goal.
    Report,
    /// The results differ from the reference, or there are none.
    Wrong,
}

/// The times of a trial.
pub struct Measured {
    pub bytes: u64,
    pub ours: Stats,
    /// Name and times of each rival.
    pub rivals: Vec<(String, Stats)>,
    /// The share of its best speed that a copy beside them had, if a GPU's clock was held.
    pub clock: Option<f64>,
}

/// A measured row of the table.
#[derive(Debug, Serialize)]
pub struct Outcome {
    pub section: String,
    pub name: String,
    pub dtype: Option<String>,
    /// Bytes of the output; for a conversion, half of the bytes read and written.
    pub bytes: u64,
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
    pub verdict: Verdict,
    /// The share of its best speed that a copy beside the row had, if a GPU's clock was held.
    pub clock: Option<f64>,
    pub error: Option<String>,
}

impl Outcome {
    /// Measures a row and compares its figure with its goal. Its results are compared later.
    pub fn of(row: Row, bench: &Bench) -> Self {
        let Row { section, name, dtype, goals, unit, prepare, .. } = row;
        let goal = goals[usize::from(bench.device.is_cpu())];
        let dtype = dtype.map(|dtype| dtype.name().to_owned());
        let title = format!("{section}: {name} {}", dtype.as_deref().unwrap_or_default());
        let (bytes, ours, rivals, clock, error) = match bench.run(title, prepare) {
            Ok(Measured { bytes, ours, rivals, clock }) => (bytes, Some(ours), rivals, clock, None),
            Err(error) => (0, None, Vec::new(), None, Some(format!("{error:#}"))),
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
            dtype,
            bytes,
            unit,
            ours,
            rivals,
            ratio: None,
            goal: text,
            target,
            time_over_time: matches!(goal, Goal::Time(_)),
            verdict: Verdict::Wrong,
            clock,
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
            Some(true) => Verdict::Met,
            Some(false) => Verdict::Missed,
            None => Verdict::Report,
        };
    }

    /// The fastest rival.
    pub fn best(&self) -> Option<&(String, Stats)> {
        self.rivals.iter().min_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))
    }

    /// Converts a ratio in the form of [`ratio`](Self::ratio) to their time over ours, so that more is faster.
    pub fn speed(&self, ratio: f64) -> f64 {
        if self.time_over_time { 1.0 / ratio } else { ratio }
    }
}
