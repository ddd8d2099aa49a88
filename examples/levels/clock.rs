//! How long work takes on the GPU.

use std::time::{Duration, Instant};

use wgpu_clamp::{Host, wgpu};

use crate::Result;

/// Timed runs, after the one that compiles.
pub const RUNS: usize = 5;

/// Records what `record` does, submits it and waits for it. How long all that takes.
pub fn submit_and_wait(
    host: &Host,
    record: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<()>,
) -> Result<Duration> {
    let device = host.clamper().device();
    // An upload may still be on its way; without this it would be timed too.
    host.queue().submit([]);
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let start = Instant::now();
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    record(&mut encoder)?;
    let submission = host.queue().submit([encoder.finish()]);
    device.poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None })?;
    Ok(start.elapsed())
}

/// The best of [`RUNS`] runs, after one that compiles.
pub fn best(host: &Host, record: impl Fn(&mut wgpu::CommandEncoder) -> Result<()>) -> Result<Duration> {
    let mut best = Duration::MAX;
    submit_and_wait(host, &record)?;
    for _ in 0..RUNS {
        best = best.min(submit_and_wait(host, &record)?);
    }
    Ok(best)
}
