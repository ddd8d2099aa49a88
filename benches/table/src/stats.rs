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

/// Spearman's coefficient: of ranks, equal numbers sharing one.
#[expect(clippy::cast_precision_loss, reason = "a few thousand numbers")]
pub(crate) fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let ranks = |numbers: &[f64]| -> Vec<f64> {
        let below = |x: f64| numbers.iter().filter(|other| **other < x).count();
        let equal = |x: f64| numbers.iter().filter(|other| other.total_cmp(&x).is_eq()).count();
        numbers.iter().map(|x| below(*x) as f64 + (equal(*x) as f64 - 1.0) / 2.0).collect()
    };
    let centred = |x: Vec<f64>| -> Vec<f64> {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        x.into_iter().map(|x| x - mean).collect()
    };
    let (a, b) = (centred(ranks(a)), centred(ranks(b)));
    let dot = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
    dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
}
