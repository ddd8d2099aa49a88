//! Samples: the time that the device takes for a piece of work.

use std::cell::Cell;
use std::time::Instant;

use anyhow::{Context, Result};
use wgpu_clamp::wgpu;

use crate::device::Device;
use crate::stats::Stats;

/// Records one dispatch into a pass.
pub type Dispatch = Box<dyn Fn(&mut wgpu::ComputePass<'_>)>;

/// Records commands outside of passes.
pub type Commands = Box<dyn Fn(&mut wgpu::CommandEncoder)>;

/// Work to be timed. The entries of a list do the same on different buffers; repetitions cycle through the entries.
pub enum Work {
    /// Dispatches; all repetitions share a compute pass.
    Pass(Vec<Dispatch>),
    /// Commands outside of passes.
    Encoder(Vec<Commands>),
    /// Work that times itself and returns seconds (or another unit, if the row says so).
    Measured(Box<dyn FnMut() -> Result<f64>>),
}

impl Work {
    /// Work on the CPU, timed by the wall clock.
    pub fn timed(mut run: impl FnMut() -> Result<()> + 'static) -> Self {
        Self::Measured(Box::new(move || {
            let (time, result) = seconds(&mut run);
            result.map(|()| time)
        }))
    }
}

/// Runs a function and returns its time in seconds, with its result.
pub fn seconds<R>(run: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = run();
    (start.elapsed().as_secs_f64(), result)
}

/// Times that a row is measured, at most, until the clock is up.
pub(crate) const TRIES: usize = 4;

/// Whether a GPU's clock was up while a copy reached this share of the speed that it has at full clock.
pub(crate) fn is_up(share: f64) -> bool {
    share * 1.05 >= 1.0
}

/// Measures until the clock is up, at most [`TRIES`] times, and keeps the measurement with the fastest copy. `measure`
/// also returns the seconds of a copy; `best` is the least of the run.
pub(crate) fn hold<T>(best: &Cell<f64>, mut measure: impl FnMut() -> Result<(f64, T)>) -> Result<(f64, T)> {
    let mut kept = measure()?;
    for _ in 1..TRIES {
        best.set(best.get().min(kept.0));
        if is_up(best.get() / kept.0) {
            break;
        }
        let again = measure()?;
        if again.0 < kept.0 {
            kept = again;
        }
    }
    best.set(best.get().min(kept.0));
    Ok(kept)
}

/// How work on the device is timed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The device's timestamps around the pass.
    Timestamps,
    /// Wall time from submission to completion, minus that of an empty submission.
    Wall,
}

/// Times work on one device.
pub struct Clock {
    /// The method that [`Clock::sample`] uses.
    pub method: Method,
    /// The wall time of an empty submission, in seconds.
    pub empty: f64,
    queries: Option<Queries>,
}

struct Queries {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    staging: wgpu::Buffer,
    /// Seconds per tick.
    period: f64,
}

impl Clock {
    /// Uses timestamps on a GPU that has them, else wall time. A software driver's dispatches are long enough for
    /// wall time, and its timestamps come from whichever thread writes them.
    pub fn new(device: &Device) -> Result<Self> {
        let queries = device.has_timestamps().then(|| Queries::new(device));
        let method = if queries.is_some() && !device.is_cpu() { Method::Timestamps } else { Method::Wall };
        let mut clock = Self { method, empty: 0.0, queries };
        let nothing = Work::Pass(vec![Box::new(|_| {})]);
        clock.empty = Stats::median_of(40, || clock.wall(device, &nothing, 1))?;
        Ok(clock)
    }

    /// Seconds per repetition, of `repeats` repetitions in one submission.
    pub fn sample(&self, device: &Device, work: &mut Work, repeats: usize) -> Result<f64> {
        if let Work::Measured(measured) = work {
            return measured();
        }
        self.with(self.method, device, work, repeats)
    }

    /// As [`Clock::sample`], by the given method.
    #[expect(clippy::cast_precision_loss, reason = "a few repeats")]
    pub fn with(&self, method: Method, device: &Device, work: &Work, repeats: usize) -> Result<f64> {
        let all = match method {
            // The two times come from different submissions and vary, so the difference is kept above 0.
            Method::Wall => (self.wall(device, work, repeats)? - self.empty).max(1e-7),
            Method::Timestamps => self.timestamps(device, work, repeats)?,
        };
        Ok(all / repeats as f64)
    }

    /// Seconds from submission to completion.
    pub fn wall(&self, device: &Device, work: &Work, repeats: usize) -> Result<f64> {
        let mut encoder = device.wgpu().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        record(&mut encoder, work, repeats, None);
        let commands = encoder.finish();
        let start = Instant::now();
        device.queue().submit([commands]);
        device.wait()?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn timestamps(&self, device: &Device, work: &Work, repeats: usize) -> Result<f64> {
        let queries = self.queries.as_ref().context("the device has no timestamps")?;
        let mut encoder = device.wgpu().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        record(&mut encoder, work, repeats, Some(&queries.set));
        encoder.resolve_query_set(&queries.set, 0..2, &queries.resolved, 0);
        encoder.copy_buffer_to_buffer(&queries.resolved, 0, &queries.staging, 0, 16);
        device.queue().submit([encoder.finish()]);
        queries.staging.map_async(wgpu::MapMode::Read, .., |_| {});
        device.wait()?;
        let mapped = queries.staging.get_mapped_range(..).context("no timestamps came back")?;
        let [start, end]: [u64; 2] = bytemuck::pod_read_unaligned(&mapped);
        drop(mapped);
        queries.staging.unmap();
        #[expect(clippy::cast_precision_loss, reason = "less than a second")]
        Ok(end.saturating_sub(start) as f64 * queries.period)
    }
}

impl Queries {
    fn new(device: &Device) -> Self {
        let buffer = |usage| {
            let descriptor =
                wgpu::BufferDescriptor { label: None, size: 16, usage, mapped_at_creation: false };
            device.wgpu().create_buffer(&descriptor)
        };
        let set = wgpu::QuerySetDescriptor { label: None, ty: wgpu::QueryType::Timestamp, count: 2 };
        Self {
            set: device.wgpu().create_query_set(&set),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            staging: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            period: f64::from(device.queue().get_timestamp_period()) * 1e-9,
        }
    }
}

fn record(encoder: &mut wgpu::CommandEncoder, work: &Work, repeats: usize, set: Option<&wgpu::QuerySet>) {
    match work {
        Work::Pass(dispatches) => {
            let timestamp_writes = set.map(|query_set| wgpu::ComputePassTimestampWrites {
                query_set,
                beginning_of_pass_write_index: Some(0),
                end_of_pass_write_index: Some(1),
            });
            let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes };
            let mut pass = encoder.begin_compute_pass(&descriptor);
            dispatches.iter().cycle().take(repeats).for_each(|dispatch| dispatch(&mut pass));
        }
        Work::Encoder(commands) => {
            if let Some(set) = set {
                encoder.write_timestamp(set, 0);
            }
            commands.iter().cycle().take(repeats).for_each(|command| command(encoder));
            if let Some(set) = set {
                encoder.write_timestamp(set, 1);
            }
        }
        Work::Measured(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The copy of the kept measurement, the number of measurements and the best copy afterwards, where the measurements'
    /// copies take these times.
    fn held(best: f64, copies: &[f64]) -> (f64, usize, f64) {
        let best = Cell::new(best);
        let mut taken = 0;
        let measure = || {
            taken += 1;
            Ok((copies[taken - 1], taken))
        };
        let (copy, kept) = hold(&best, measure).unwrap();
        assert!((copies[kept - 1] - copy).abs() < 1e-9, "the copy of another measurement");
        (copy, taken, best.get())
    }

    #[test]
    fn a_row_is_measured_until_its_copy_is_within_5_percent_of_the_best() {
        for (best, copies, expected) in [
            (f64::INFINITY, &[9.0][..], (9.0, 1, 9.0)),
            (100.0, &[104.9], (104.9, 1, 100.0)),
            (100.0, &[105.1, 104.9], (104.9, 2, 100.0)),
            (100.0, &[99.0], (99.0, 1, 99.0)),
            (34.0, &[88.0, 60.0, 33.0], (33.0, 3, 33.0)),
            // A clock that stays down: the fastest of four is kept.
            (34.0, &[88.0, 70.0, 80.0, 90.0], (70.0, 4, 34.0)),
            (34.0, &[88.0, 80.0, 70.0, 33.0], (33.0, 4, 33.0)),
        ] {
            assert_eq!(held(best, copies), expected, "{best}, {copies:?}");
        }
    }

    #[test]
    fn a_clock_is_up_from_a_twentieth_below_full_speed() {
        for (share, up) in [(1.0, true), (0.953, true), (0.952, false), (0.17, false), (f64::INFINITY, true)]
        {
            assert_eq!(is_up(share), up, "{share}");
        }
    }
}
