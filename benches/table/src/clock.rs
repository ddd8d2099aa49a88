//! Samples: the time that the device takes for a piece of work.

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
