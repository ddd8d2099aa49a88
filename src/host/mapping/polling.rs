//! Polls a device until a buffer is mapped, since no native platform polls by itself.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use std::time::{Duration, Instant};

use futures_channel::oneshot;

use super::Arrival;
use crate::Error;
use crate::gpu::{mapped, scope};

/// The result of polling, or the payload of a panic in a callback of the program.
type Outcome = thread::Result<Result<(), Error>>;

/// Waits until the buffer is mapped. `submission` is the last one that uses the buffer.
///
/// Polls once, which suffices if the GPU is done. Otherwise a thread polls. If a callback of the program panics in
/// one of these polls, the panic goes on here, as if the caller had polled.
///
/// Polls only during the wait. A poll that finds the device destroyed frees mapped memory (wgpu 30), but a task that
/// still waits for a mapping does not read that memory.
pub(in crate::host) async fn until_mapped(
    device: &wgpu::Device,
    buffer: &wgpu::Buffer,
    submission: wgpu::SubmissionIndex,
    mut arrival: Arrival,
) -> Result<(), Error> {
    let polled = match poll_once(device, buffer, &mut arrival) {
        Some(outcome) => outcome,
        None => spawn(device.clone(), buffer.clone(), arrival)?.await.unwrap_or_else(|_| {
            Ok(Err(Error::Wgpu { reason: "the thread that waits for the GPU ended".to_owned() }))
        }),
    };
    polled.unwrap_or_else(|payload| resume_unwind(payload))?;
    // Refuses a submission to the queue of another device, whose work the mapping has not waited for. A submission to
    // the right queue is done, so the poll returns at once. If the poll finds the device destroyed, the buffer is
    // unmapped, and reading it is an error.
    let done = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
    poll(device, done).unwrap_or_else(|payload| resume_unwind(payload))
}

fn poll(device: &wgpu::Device, poll_type: wgpu::PollType) -> Outcome {
    match catch_unwind(AssertUnwindSafe(|| device.poll(poll_type))) {
        Ok(Ok(_)) => Ok(Ok(())),
        Ok(Err(error)) => Ok(Err(Error::Wgpu { reason: error.to_string() })),
        // wgpu itself panics if the driver reports that the device is lost. Any other panic comes from a callback.
        Err(payload) => match payload.downcast_ref::<String>() {
            Some(text) if text.starts_with("Error in Device::poll") && scope::is_lost(device) => {
                Ok(Err(Error::DeviceLost { reason: "polling it panicked".to_owned() }))
            }
            _ => Err(payload),
        },
    }
}

/// Polls once. Returns the outcome, or `None` while the GPU is at work.
fn poll_once(device: &wgpu::Device, buffer: &wgpu::Buffer, arrival: &mut Arrival) -> Option<Outcome> {
    let polled = poll(device, wgpu::PollType::Poll);
    if !matches!(polled, Ok(Ok(()))) {
        return Some(polled);
    }
    match arrival.try_recv() {
        Ok(result) => result.map(Ok),
        // wgpu dropped the callback without calling it. Either the device is gone, or another callback panicked
        // earlier in the poll that would have called this one. In the second case the buffer is mapped.
        Err(oneshot::Canceled) => Some(Ok(mapped::read(buffer, 0, |_| ()))),
    }
}

/// Starts a thread that polls until the mapping has arrived. It sends its outcome after its last poll, and so after
/// every callback that it called.
///
/// Avoids polls that wait with a timeout. If such a poll ends while another thread, in a poll or a submission, finds
/// all work done, an assertion of wgpu-core 30.0 fails (fixed by gfx-rs/wgpu#9958). On GL, a poll that waits also keeps
/// other threads from the device.
fn spawn(
    device: wgpu::Device,
    buffer: wgpu::Buffer,
    mut arrival: Arrival,
) -> Result<oneshot::Receiver<Outcome>, Error> {
    let (sender, outcome) = oneshot::channel();
    let run = move || {
        let start = Instant::now();
        let outcome = loop {
            if let Some(outcome) = poll_once(&device, &buffer, &mut arrival) {
                break outcome;
            }
            let elapsed = start.elapsed();
            if elapsed < Duration::from_micros(200) {
                // The shortest sleep takes as long as a small copy.
                thread::yield_now();
            } else {
                // A pause of a sixteenth of the elapsed time adds little delay.
                thread::sleep((elapsed / 16).clamp(Duration::from_micros(50), Duration::from_millis(2)));
            }
        };
        // Fails if the future was dropped, which is fine.
        let _ = sender.send(outcome);
    };
    thread::Builder::new()
        .name("wgpu-clamp poll".to_owned())
        .spawn(run)
        .map_err(|error| Error::Wgpu { reason: format!("no thread to wait for the GPU: {error}") })?;
    Ok(outcome)
}
