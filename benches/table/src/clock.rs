//! Samples: the time that the device takes for a piece of work.

use std::cell::Cell;
use std::time::Instant;

use anyhow::Result;
use wgpu_clamp::wgpu;

use crate::data;
use crate::device::Device;
use crate::stats::Stats;

/// Records dispatches into a pass.
pub type Dispatch = Box<dyn Fn(&mut wgpu::ComputePass<'_>)>;

/// Work to be timed.
pub enum Work {
    /// Entries that do the same on different buffers. Repetitions cycle through them in one compute pass.
    Pass(Vec<Dispatch>),
    /// Work that times itself and returns seconds.
    Measured(Box<dyn FnMut() -> Result<f64>>),
}

/// Runs a function and returns its time in seconds, with its result.
pub fn seconds<R>(run: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = run();
    (start.elapsed().as_secs_f64(), result)
}

/// Times that a row is measured, at most, until the clock is up.
const TRIES: usize = 4;

/// Whether a GPU's clock was up while a copy reached this share of the speed that it has at full clock.
pub(crate) fn is_up(share: f64) -> bool {
    share * 1.05 >= 1.0
}

/// Measures until the clock is up, at most [`TRIES`] times, and keeps the measurement with the fastest copy. `measure`
/// also returns the seconds of a copy; `best` is the least of the run.
pub(crate) fn hold<T>(best: &Cell<f64>, mut measure: impl FnMut() -> Result<(f64, T)>) -> Result<(f64, T)> {
    let mut kept = measure()?;
    best.set(best.get().min(kept.0));
    for _ in 1..TRIES {
        if is_up(best.get() / kept.0) {
            break;
        }
        let again = measure()?;
        best.set(best.get().min(again.0));
        if again.0 < kept.0 {
            kept = again;
        }
    }
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
        let timestamps = device.wgpu().features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let queries = (!device.is_cpu() && timestamps).then(|| Queries::new(device));
        let mut clock = Self { empty: 0.0, queries };
        clock.empty = Stats::median_of(40, || clock.wall(device, &[Box::new(|_| {})], 1))?;
        Ok(clock)
    }

    /// Whether the device's timestamps count.
    pub const fn has_timestamps(&self) -> bool {
        self.queries.is_some()
    }

    /// Seconds per repetition, of `repeats` repetitions in one submission.
    #[expect(clippy::cast_precision_loss, reason = "a few repeats, and less than a second")]
    pub fn sample(&self, device: &Device, work: &mut Work, repeats: usize) -> Result<f64> {
        let entries = match work {
            Work::Measured(measured) => return measured(),
            Work::Pass(entries) => entries,
        };
        let wall = self.wall(device, entries, repeats)?;
        let all = if let Some(Queries { resolved, period, .. }) = &self.queries {
            let [start, end]: [u64; 2] = bytemuck::pod_read_unaligned(&data::read(device, resolved)?);
            end.saturating_sub(start) as f64 * period
        } else {
            // The two times come from different submissions and vary, so the difference is kept above 0.
            (wall - self.empty).max(1e-7)
        };
        Ok(all / repeats as f64)
    }

    /// Seconds from submission to completion of repetitions in one pass, with timestamps before and after it.
    pub fn wall(&self, device: &Device, entries: &[Dispatch], repeats: usize) -> Result<f64> {
        let mut encoder = device.wgpu().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let timestamp_writes = self.queries.as_ref().map(|queries| wgpu::ComputePassTimestampWrites {
            query_set: &queries.set,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        });
        let mut pass =
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
        entries.iter().cycle().take(repeats).for_each(|dispatch| dispatch(&mut pass));
        drop(pass);
        if let Some(Queries { set, resolved, .. }) = &self.queries {
            encoder.resolve_query_set(set, 0..2, resolved, 0);
        }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_measured_until_its_copy_is_within_5_percent_of_the_best() {
        // The best copy before, the copies of the measurements, the kept one, how many are taken.
        for (before, copies, kept, taken) in [
            (f64::INFINITY, &[9.0][..], 9.0, 1),
            (100.0, &[104.9], 104.9, 1),
            (100.0, &[105.1, 104.9], 104.9, 2),
            (34.0, &[88.0, 60.0, 33.0], 33.0, 3),
            // A clock that stays down: the fastest of four is kept.
            (34.0, &[88.0, 70.0, 80.0, 90.0], 70.0, 4),
        ] {
            let (best, mut left) = (Cell::new(before), copies.iter());
            let measure = || left.next().map(|copy| (*copy, *copy)).ok_or_else(|| anyhow::anyhow!("a fifth"));
            assert_eq!(hold(&best, measure).unwrap(), (kept, kept), "{before}, {copies:?}");
            let least = copies.iter().copied().fold(before, f64::min);
            assert_eq!((copies.len() - left.len(), best.get()), (taken, least), "{before}, {copies:?}");
        }
    }
}
