//! The self-test's results on implementations of WebGPU, Vulkan, GL and Direct3D.

#![forbid(unsafe_code)]

use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wgpu_clamp::{Error, Host, Outcome, wgpu};

/// The names of the limits that devices are created with.
pub const LIMITS: [&str; 2] = ["default", "downlevel"];

/// The limits of one of these names, of which WebGPU promises `default` everywhere.
#[must_use]
pub fn limits(name: &str) -> Option<wgpu::Limits> {
    match name {
        "default" => Some(wgpu::Limits::default()),
        "downlevel" => Some(wgpu::Limits::downlevel_defaults()),
        _ => None,
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
    /// The elements compared.
    pub elements: usize,
    /// Elements that differ, plus one per case that changed a byte beside the output.
    pub differing: usize,
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
        config: &str,
        cases: Range<usize>,
        progress: impl FnMut(usize, usize, &Outcome) + Send,
        clock: impl FnOnce() -> (String, Duration),
    ) -> Result<Self, Error> {
        let report = host.self_test().cases(cases).with_progress(progress).run().await?;
        let reports = || report.outcomes().iter().map(|outcome| &outcome.report);
        let differing =
            reports().map(|case| case.elements - case.matching + usize::from(case.stray.is_some()));
        let failed = report.outcomes().iter().filter(|outcome| !outcome.report.passed());
        let (date, time) = clock();
        Ok(Self {
            implementation: implementation.to_owned(),
            adapter: host.adapter(),
            config: config.to_owned(),
            date,
            cases: report.outcomes().len(),
            elements: reports().map(|case| case.elements).sum(),
            differing: differing.sum(),
            failures: failed.map(ToString::to_string).collect(),
            seconds: time.as_secs(),
        })
    }
}
