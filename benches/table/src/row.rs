//! A row of the table: before its buffers are made, and ready to be measured.

use anyhow::Result;
use serde::Serialize;
use wgpu_clamp::DType;

use crate::bench::Bench;
use crate::case::Case;
use crate::clock::Work;

/// Makes the buffers of a row and records its work: once to time it, and once more to compare its results.
pub type Prepare = Box<dyn Fn(&Bench) -> Result<Trial>>;

/// Fails if the results of a row are wrong.
pub type Check = Box<dyn FnOnce(&Bench) -> Result<()>>;

/// A row to measure. Its buffers are made when its turn comes.
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
    /// A row without a case. Its samples are seconds.
    pub fn new(
        section: &'static str,
        name: impl Into<String>,
        dtype: DType,
        goals: [Goal; 2],
        prepare: impl Fn(&Bench) -> Result<Trial> + 'static,
    ) -> Self {
        let (name, dtype, prepare) = (name.into(), Some(dtype), Box::new(prepare));
        Self { section, name, dtype, goals, unit: Unit::Seconds, case: None, prepare }
    }
}

/// A row with its buffers, ready to be measured.
pub struct Trial {
    /// Bytes of the output; for a conversion, half of the bytes read and written.
    pub bytes: u64,
    /// The library's work.
    pub ours: Work,
    /// The rivals; the fastest one counts.
    pub rivals: Vec<Rival>,
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

/// The goal of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The least ratio of the rival's time to ours.
    Speed(f64),
    /// The greatest ratio of our time to the rival's.
    Time(f64),
    /// The greatest figure of ours, without a rival, in the row's unit.
    Absolute(f64),
    /// No goal: the figure is only reported.
    Report,
}

/// The unit of a row's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Heap allocations.
    Allocations,
}
