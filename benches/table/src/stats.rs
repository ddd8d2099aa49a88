//! Medians and quartiles of samples.

use anyhow::Result;
use serde::Serialize;

/// Median, quartiles and samples.
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    pub median: f64,
    /// The first quartile.
    pub q1: f64,
    /// The third quartile.
    pub q3: f64,
    /// The samples, in the order of the rounds.
    pub samples: Vec<f64>,
}

impl Stats {
    /// Statistics of at least one sample.
    pub fn of(samples: Vec<f64>) -> Self {
        let mut sorted = samples.clone();
        sorted.sort_by(f64::total_cmp);
        let [median, q1, q3] = [0.5, 0.25, 0.75].map(|q| quantile(&sorted, q));
        Self { median, q1, q3, samples }
    }

    /// The median of `count` samples.
    pub fn median_of(count: usize, mut sample: impl FnMut() -> Result<f64>) -> Result<f64> {
        let samples = (0..count).map(|_| sample()).collect::<Result<_>>()?;
        Ok(Self::of(samples).median)
    }
}

/// The quantile `q`; between two samples it is interpolated linearly.
#[expect(clippy::cast_precision_loss, reason = "a handful of samples")]
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}
