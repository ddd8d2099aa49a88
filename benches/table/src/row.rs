//! A row of the table: before its buffers are made, ready to be measured, and measured.

use anyhow::Result;
use serde::Serialize;

use crate::bench::Bench;
use crate::clock::Work;
use crate::stats::Stats;

/// The least ratios of the rival's time to ours, on a GPU and on a software driver.
pub type Goals = [Option<f64>; 2];

/// Makes the buffers of a row and records its work: once to time it, and once more to compare its results.
pub type Prepare = Box<dyn Fn(&Bench) -> Result<Trial>>;

/// Fails if the results of a row are wrong.
pub type Check = Box<dyn FnOnce(&Bench) -> Result<()>>;

/// A row to measure. Its buffers are made when its turn comes.
pub struct Row {
    /// The row's section of the table.
    pub section: String,
    /// The row's name.
    pub name: String,
    /// The dtypes of the elements, if there are any.
    pub dtypes: String,
    /// The least ratios.
    pub goals: Goals,
    /// The number of the case among those that `--first` can time.
    pub case: Option<usize>,
    /// Makes the buffers and records the work.
    pub prepare: Prepare,
}

impl Row {
    /// Section, name and dtypes: what `--only` searches.
    pub fn title(&self) -> String {
        format!("{}: {}, {}", self.section, self.name, self.dtypes)
    }
}

/// A row with its buffers, ready to be measured.
pub struct Trial {
    /// Bytes of the output; for a conversion, half of the bytes read and written.
    pub bytes: u64,
    /// The library's work.
    pub ours: Work,
    /// The rivals, such as copies; the fastest one counts.
    pub rivals: Vec<Rival>,
    /// The plain kernel, if it can do the same.
    pub plain: Option<Work>,
    /// Fails if the results are wrong.
    pub check: Check,
}

/// Work that the library's work is compared with.
pub struct Rival {
    /// The rival's name.
    pub name: String,
    /// The rival's work.
    pub work: Work,
}

/// A measured row.
#[derive(Debug, Default, Serialize)]
pub struct Outcome {
    pub section: String,
    pub name: String,
    pub dtypes: String,
    /// Bytes of the output; for a conversion, half of the bytes read and written.
    pub bytes: u64,
    /// The library's times, unless it failed.
    pub ours: Option<Stats>,
    /// Name and times of each rival.
    pub rivals: Vec<(String, Stats)>,
    /// The plain kernel's times.
    pub plain: Option<Stats>,
    /// Seconds from nothing to the first result.
    pub first: Option<f64>,
    /// The least ratio to the fastest rival.
    pub goal: Option<f64>,
    /// The share of its best speed that a copy beside the row had, if a GPU's clock was held.
    pub clock: Option<f64>,
    /// Seconds of that copy.
    #[serde(skip)]
    pub yardstick: Option<f64>,
    /// What is wrong with the results, or why there are none.
    pub error: Option<String>,
}

/// The outcome of a row against its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Met,
    Missed,
    /// There is no goal.
    Report,
    /// The results differ from the reference, or there are none.
    Wrong,
}

impl Outcome {
    /// The fastest rival.
    pub fn best(&self) -> Option<&(String, Stats)> {
        self.rivals.iter().min_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))
    }

    /// The fastest rival's time over ours: above 1 is faster than the rival.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.best()?.1.median / self.ours.as_ref()?.median)
    }

    /// The plain kernel's time over ours.
    pub fn to_plain(&self) -> Option<f64> {
        Some(self.plain.as_ref()?.median / self.ours.as_ref()?.median)
    }

    /// Whether the row reaches its goal.
    pub fn verdict(&self) -> Verdict {
        match (self.ratio(), self.goal) {
            _ if self.error.is_some() || self.ours.is_none() => Verdict::Wrong,
            (Some(ratio), Some(goal)) if ratio >= goal => Verdict::Met,
            (Some(_), Some(_)) => Verdict::Missed,
            _ => Verdict::Report,
        }
    }
}
