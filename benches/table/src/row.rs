//! A row of the table: before its buffers are made, ready to be measured, and measured.

use anyhow::Result;
use serde::Serialize;

use crate::bench::Bench;
use crate::case::{Case, Goals};
use crate::clock::Work;
use crate::kernels::Kind;
use crate::stats::Stats;

/// Makes the buffers of a row and records its work: once to time it, and once more to compare its results.
pub type Prepare = Box<dyn Fn(&Bench) -> Result<Trial>>;

/// Fails if the results of a row are wrong.
pub type Check = Box<dyn FnOnce(&Bench) -> Result<()>>;

/// A row to measure. Its buffers are made when its turn comes.
pub struct Row {
    pub section: String,
    pub name: String,
    pub dtypes: String,
    pub goals: Goals,
    /// The same in a small tensor, whose first result is timed.
    pub small: Option<Case>,
    pub prepare: Prepare,
}

impl Row {
    /// Section, name and dtypes: what `--only` searches.
    pub fn title(&self) -> String {
        format!("{}: {}, {}", self.section, self.name, self.dtypes)
    }

    /// Measures the row. Its results are compared later, see [`compare`](Self::compare).
    pub(crate) fn measure(&self, bench: &Bench) -> Outcome {
        let mut outcome = Outcome {
            section: self.section.clone(),
            name: self.name.clone(),
            dtypes: self.dtypes.clone(),
            goal: self.goals[usize::from(bench.device.is_cpu())],
            ..Outcome::default()
        };
        outcome.error = self.time(bench, &mut outcome).err().map(|error| format!("{error:#}"));
        outcome
    }

    fn time(&self, bench: &Bench, outcome: &mut Outcome) -> Result<()> {
        outcome.first = self.small.as_ref().map(|case| case.first(&bench.device)).transpose()?;
        let Trial { bytes, ours, packets, mut rivals, plain, .. } = (self.prepare)(bench)?;
        outcome.bytes = bytes;
        if let Some(kind) = packets {
            rivals.extend(bench.packets(kind, bytes)?);
        }
        let (names, works): (Vec<_>, Vec<_>) = rivals.into_iter().unzip();
        let has_plain = plain.is_some();
        let works = std::iter::once(ours).chain(works).chain(plain).collect();
        let (clock, mut stats) = bench.take_turns(works)?;
        outcome.clock = clock;
        outcome.plain = stats.pop_if(|_| has_plain);
        outcome.ours = Some(stats.remove(0));
        outcome.rivals = names.into_iter().zip(stats).collect();
        Ok(())
    }

    /// Runs a measured row once more, on new buffers, and compares its results with the reference. A GPU's clock falls
    /// meanwhile, so this comes after all timing.
    pub(crate) fn compare(&self, bench: &Bench, outcome: &mut Outcome) {
        outcome.error = self.check(bench).err().map(|error| format!("{error:#}"));
        outcome.compared = true;
    }

    fn check(&self, bench: &Bench) -> Result<()> {
        let Trial { ours, rivals, plain, check, .. } = (self.prepare)(bench)?;
        let rivals = rivals.into_iter().map(|(_, work)| work);
        for mut work in std::iter::once(ours).chain(rivals).chain(plain) {
            bench.clock.sample(&bench.device, &mut work, 1)?;
        }
        check(bench)
    }
}

/// A row with its buffers, ready to be measured.
pub struct Trial {
    /// Bytes of the output; for a conversion, half of the bytes read and written.
    pub bytes: u64,
    pub ours: Work,
    /// Copies or fills of as many bytes are rivals too.
    pub packets: Option<Kind>,
    /// The names and works of rivals; the fastest one counts.
    pub rivals: Vec<(String, Work)>,
    /// The plain kernel, if it can do the same.
    pub plain: Option<Work>,
    pub check: Check,
}

/// A measured row.
#[derive(Debug, Default, Serialize)]
pub struct Outcome {
    pub section: String,
    pub name: String,
    pub dtypes: String,
    pub bytes: u64,
    /// The library's times, unless it failed.
    pub ours: Option<Stats>,
    /// Name and times of each rival.
    pub rivals: Vec<(String, Stats)>,
    pub plain: Option<Stats>,
    /// Seconds from nothing to the first result of a small tensor.
    pub first: Option<f64>,
    /// The least ratio to the fastest rival.
    pub goal: Option<f64>,
    /// The share of its best speed that a copy beside the row had, if a GPU's clock was held.
    pub clock: Option<f64>,
    /// Whether the results were compared with the reference.
    pub compared: bool,
    /// What is wrong with the results, or why there are none.
    pub error: Option<String>,
}

impl Outcome {
    /// The fastest rival.
    pub fn best(&self) -> Option<&(String, Stats)> {
        self.rivals.iter().min_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))
    }

    /// The fastest rival's time over ours: above 1 is faster than the rival. None if a result is wrong.
    pub fn ratio(&self) -> Option<f64> {
        if self.error.is_some() {
            return None;
        }
        Some(self.best()?.1.median / self.ours.as_ref()?.median)
    }

    /// The plain kernel's time over ours.
    pub fn to_plain(&self) -> Option<f64> {
        Some(self.plain.as_ref()?.median / self.ours.as_ref()?.median)
    }

    /// Whether the row reaches its goal, if it has one.
    pub fn met(&self) -> Option<bool> {
        Some(self.ratio()? >= self.goal?)
    }
}
