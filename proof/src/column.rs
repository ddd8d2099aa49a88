//! The self-test's results on one device.

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
    /// The limits of wgpu.
    #[must_use]
    pub fn of_wgpu(self) -> wgpu::Limits {
        match self {
            Self::Default => wgpu::Limits::default(),
            Self::Downlevel => wgpu::Limits::downlevel_defaults(),
        }
    }
}

/// The configuration of a device.
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

/// The elements of one specialization on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The elements compared.
    pub elements: usize,
    /// Elements that differ, plus one per case that changed a byte beside the output.
    pub differing: usize,
}

impl Cell {
    /// Adds the counts of another cell.
    pub const fn add(&mut self, other: Self) {
        self.elements += other.elements;
        self.differing += other.differing;
    }
}

/// The results of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The name of the implementation.
    pub implementation: String,
    /// The adapter, its driver and version, in its own words.
    pub adapter: String,
    /// How the device was created.
    pub config: Config,
    /// When it ran: year, month and day.
    pub date: String,
    /// The number of cases run.
    pub cases: usize,
    /// Cells by specialization.
    pub cells: BTreeMap<String, Cell>,
    /// The cases that failed, in words.
    pub failures: Vec<String>,
    /// The time in seconds; most of it is compilation.
    pub seconds: u64,
}

impl Column {
    /// Runs these `cases` of `host`'s self-test with `progress`. `clock` returns the date and the time since the start,
    /// because on the web only the page has a clock.
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
