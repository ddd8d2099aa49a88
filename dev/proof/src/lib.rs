//! The self-test's results on implementations of WebGPU, Vulkan, GL and Direct3D.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wgpu_clamp::{Error, Host, Lanes, Outcome, wgpu};

/// The names of the limits that devices are created with.
pub const LIMITS: [&str; 2] = ["default", "downlevel"];

/// The limits with one of these names. WebGPU promises `default` everywhere.
#[must_use]
pub fn limits(name: &str) -> Option<wgpu::Limits> {
    match name {
        "default" => Some(wgpu::Limits::default()),
        "downlevel" => Some(wgpu::Limits::downlevel_defaults()),
        _ => None,
    }
}

/// Counts of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// The elements compared.
    pub elements: usize,
    /// Elements that differ, plus one per case that changed a byte beside the output.
    pub differing: usize,
}

impl Counts {
    /// Adds the counts of another case or device.
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
    /// How the device was created: limits and features.
    pub config: String,
    /// When it ran: year, month and day.
    pub date: String,
    /// The number of cases run.
    pub cases: usize,
    /// The counts of all cases.
    pub total: Counts,
    /// The counts of each specialization.
    pub specializations: BTreeMap<String, Counts>,
    /// The cases that failed, in words.
    pub failures: Vec<String>,
    /// The time in seconds; most of it is compilation.
    pub seconds: u64,
}

impl Column {
    /// Runs these `cases` of `host`'s self-test with `progress`, with blocks for each kind of [`Lanes`]: every implementation
    /// meets a GPU's texts and a CPU's. `clock` returns the date and the time since the start,
    /// because on the web only the page has a clock.
    ///
    /// # Errors
    ///
    /// If a case could not be run. A wrong result is not an error.
    pub async fn fill(
        implementation: &str,
        host: &Host,
        config: &str,
        cases: Range<usize>,
        mut progress: impl FnMut(usize, usize, &Outcome) + Send,
        clock: impl FnOnce() -> (String, Duration),
    ) -> Result<Self, Error> {
        let mut outcomes = Vec::new();
        for lanes in [Lanes::InStep, Lanes::InSequence] {
            let host = Host::new(&host.clamper().clone().with_lanes(lanes), host.queue());
            let test = host.self_test().cases(cases.clone()).with_progress(&mut progress);
            outcomes.extend_from_slice(test.run().await?.outcomes());
        }
        let (mut total, mut specializations) = (Counts::default(), BTreeMap::<_, Counts>::new());
        for outcome in &outcomes {
            let case = &outcome.report;
            let differing = case.elements - case.matching + usize::from(case.stray.is_some());
            let counts = Counts { elements: case.elements, differing };
            total.add(counts);
            specializations.entry(outcome.specialization.clone()).or_default().add(counts);
        }
        let failed = outcomes.iter().filter(|outcome| !outcome.report.passed());
        let (date, time) = clock();
        Ok(Self {
            implementation: implementation.to_owned(),
            adapter: host.adapter(),
            config: config.to_owned(),
            date,
            cases: outcomes.len(),
            total,
            specializations,
            failures: failed.map(ToString::to_string).collect(),
            seconds: time.as_secs(),
        })
    }
}
