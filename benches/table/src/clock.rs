//! Samples: the time that the device takes for a piece of work.

use std::cell::Cell;
use std::time::Instant;

use anyhow::Result;
use wgpu_clamp::wgpu;

use crate::data;
use crate::device::{Device, TIMESTAMPS};
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

/// Times work on one device.
pub struct Clock {
    /// The wall time of an empty submission, in seconds.
    pub empty: f64,
    /// The device's timestamps. Without them, the wall time from submission to completion counts, less that of an empty
    /// submission.
    queries: Option<Queries>,
}

struct Queries {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Seconds per tick.
    period: f64,
}

impl Clock {
    /// Uses timestamps on a GPU that has them, else wall time. A software driver's dispatches are long enough for
    /// wall time, and its timestamps come from whichever thread writes them.
    pub fn new(device: &Device) -> Result<Self> {
        let has_timestamps = !device.is_cpu() && device.wgpu().features().contains(TIMESTAMPS);
        let mut clock = Self { empty: 0.0, queries: has_timestamps.then(|| Queries::new(device)) };
        let nothing = Work::Pass(vec![Box::new(|_| {})]);
        clock.empty = Stats::median_of(40, || clock.wall(device, &nothing, 1))?;
        Ok(clock)
    }

    /// Whether the device's timestamps count.
    pub const fn has_timestamps(&self) -> bool {
        self.queries.is_some()
    }

    /// Seconds per repetition, of `repeats` repetitions in one submission.
    #[expect(clippy::cast_precision_loss, reason = "a few repeats")]
    pub fn sample(&self, device: &Device, work: &mut Work, repeats: usize) -> Result<f64> {
        let all = match (&mut *work, &self.queries) {
            (Work::Measured(measured), _) => return measured(),
            (work, Some(queries)) => queries.timestamps(device, work, repeats)?,
            // The two times come from different submissions and vary, so the difference is kept above 0.
            (work, None) => (self.wall(device, work, repeats)? - self.empty).max(1e-7),
        };
        Ok(all / repeats as f64)
    }

    /// Seconds from submission to completion.
    pub fn wall(&self, device: &Device, work: &Work, repeats: usize) -> Result<f64> {
        let mut encoder = device.wgpu().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        record(&mut encoder, work, repeats, None);
        let commands = encoder.finish();
        let (time, waited) = seconds(|| {
            device.queue().submit([commands]);
            device.wait()
        });
        waited.map(|()| time)
    }
}

impl Queries {
    fn new(device: &Device) -> Self {
        let set = wgpu::QuerySetDescriptor { label: None, ty: wgpu::QueryType::Timestamp, count: 2 };
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        let resolved = wgpu::BufferDescriptor { label: None, size: 16, usage, mapped_at_creation: false };
        Self {
            set: device.wgpu().create_query_set(&set),
            resolved: device.wgpu().create_buffer(&resolved),
            period: f64::from(device.queue().get_timestamp_period()) * 1e-9,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "less than a second")]
    fn timestamps(&self, device: &Device, work: &Work, repeats: usize) -> Result<f64> {
        let mut encoder = device.wgpu().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        record(&mut encoder, work, repeats, Some(&self.set));
        encoder.resolve_query_set(&self.set, 0..2, &self.resolved, 0);
        device.queue().submit([encoder.finish()]);
        let [start, end]: [u64; 2] = bytemuck::pod_read_unaligned(&data::read(device, &self.resolved)?);
        Ok(end.saturating_sub(start) as f64 * self.period)
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
}
