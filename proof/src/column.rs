//! One device, held to the reference.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wgpu_clamp::{Error, Host, Outcome, wgpu};

/// The limits that a device is created with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limits {
    /// `wgpu::Limits::default()`, what WebGPU promises everywhere.
    Default,
    /// `wgpu::Limits::downlevel_defaults()`.
    Downlevel,
}

impl Limits {
    /// As wgpu has them.
    #[must_use]
    pub fn of_wgpu(self) -> wgpu::Limits {
        match self {
            Self::Default => wgpu::Limits::default(),
            Self::Downlevel => wgpu::Limits::downlevel_defaults(),
        }
    }
}

/// How a device is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// Its limits.
    pub limits: Limits,
    /// Whether with all optional features that the crate uses.
    pub features: bool,
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.limits {
            Limits::Default => "default limits",
            Limits::Downlevel => "downlevel limits",
        })?;
        f.write_str(if self.features { ", optional features" } else { ", no feature" })
    }
}

/// What a device made of one specialization.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The elements compared.
    pub elements: usize,
    /// Those that differ, and one more for each case in which a byte beside them changed.
    pub differing: usize,
}

impl Cell {
    /// Adds another one's elements.
    pub const fn add(&mut self, other: Self) {
        self.elements += other.elements;
        self.differing += other.differing;
    }
}

/// What a device made of all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// What the implementation is called in the matrix.
    pub implementation: String,
    /// The adapter, its driver and version, in its own words.
    pub adapter: String,
    /// How the device was created.
    pub config: Config,
    /// When it ran: year, month and day.
    pub date: String,
    /// The number of cases run.
    pub cases: usize,
    /// By specialization.
    pub cells: BTreeMap<String, Cell>,
    /// The cases that failed, in words.
    pub failures: Vec<String>,
    /// How long it took, in seconds; compilation is most of it.
    pub seconds: u64,
}

impl Column {
    /// Runs the self-test of `host`, or these `cases` of it, and calls `progress` as it does. `clock` tells the date and
    /// what passed since the start: there is no clock on the web but that of the page.
    ///
    /// # Errors
    ///
    /// Those of the self-test: a case could not be run. A wrong result is not an error.
    pub async fn fill(
        implementation: &str,
        host: &Host,
        config: Config,
        cases: Range<usize>,
        progress: impl FnMut(usize, usize, &Outcome) + Send,
        clock: impl FnOnce() -> (String, Duration),
    ) -> Result<Self, Error> {
        let report = host.self_test().cases(cases).with_progress(progress).run().await?;
        let mut cells = BTreeMap::<String, Cell>::new();
        let mut failures = Vec::new();
        for outcome in report.outcomes() {
            let stray = usize::from(outcome.report.stray.is_some());
            let differing = outcome.report.elements - outcome.report.matching + stray;
            let cell = cells.entry(outcome.specialization.clone()).or_default();
            cell.add(Cell { elements: outcome.report.elements, differing });
            if !outcome.report.passed() {
                failures.push(outcome.to_string());
            }
        }
        let (date, time) = clock();
        Ok(Self {
            implementation: implementation.to_owned(),
            adapter: host.adapter(),
            config,
            date,
            cases: report.outcomes().len(),
            cells,
            failures,
            seconds: time.as_secs(),
        })
    }

    /// All cells together.
    #[must_use]
    pub fn total(&self) -> Cell {
        let mut total = Cell::default();
        for cell in self.cells.values() {
            total.add(*cell);
        }
        total
    }
}
