//! Waits until a buffer is mapped. On native platforms nobody else polls the device, so the wait does.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use futures_channel::oneshot;

use crate::Error;
use crate::gpu::{lost, mapped, scope};

/// A buffer on its way to being mapped.
pub(crate) struct Mapping {
    device: wgpu::Device,
    buffer: wgpu::Buffer,
    submission: wgpu::SubmissionIndex,
    /// The result, sent by the callback.
    arrival: mpsc::Receiver<Result<(), Error>>,
}

impl Mapping {
    /// Asks wgpu to map the whole buffer. `submission` is the last one that uses the buffer.
    pub(crate) fn start(
        device: &wgpu::Device,
        buffer: &wgpu::Buffer,
        mode: wgpu::MapMode,
        submission: wgpu::SubmissionIndex,
    ) -> Result<Self, Error> {
        let (sender, arrival) = mpsc::channel();
        scope::catch(device, || {
            buffer.map_async(mode, .., move |result| {
                // Fails if the future was dropped, which is fine.
                let _ = sender.send(result.map_err(|error| mapped::failed(&error)));
            });
        })?;
        Ok(Self { device: device.clone(), buffer: buffer.clone(), submission, arrival })
    }

    /// Waits until the buffer is mapped.
    ///
    /// Polls once, which suffices if the GPU is done. Otherwise a thread polls. If a callback of the program panics in
    /// one of these polls, the panic goes on here, as if the caller had polled.
    ///
    /// Polls only during the wait. A poll that finds the device destroyed frees mapped memory (wgpu 30), but a task
    /// that waits for the mapping is not reading it.
    pub(crate) async fn wait(self) -> Result<(), Error> {
        let Self { device, buffer, submission, arrival } = self;
        poll(&device, wgpu::PollType::Poll).unwrap_or_else(|payload| resume_unwind(payload))?;
        match arrival.try_recv() {
            Ok(result) => result?,
            Err(TryRecvError::Disconnected) => uncalled(&buffer)?,
            Err(TryRecvError::Empty) => {
                let outcome = spawn(Poller { device: device.clone(), buffer, arrival })?.await;
                let ended =
                    |_| Ok(Err(Error::Wgpu { reason: "the thread that waits for the GPU ended".to_owned() }));
                outcome.unwrap_or_else(ended).unwrap_or_else(|payload| resume_unwind(payload))?;
            }
        }
        // Refuses a submission to the queue of another device, whose work the mapping has not waited for. A submission
        // to the right queue is done, so the poll returns at once. If it finds the device destroyed, the buffer is no
        // longer mapped, and reading it is an error.
        let done = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
        poll(&device, done).unwrap_or_else(|payload| resume_unwind(payload))
    }
}

/// The result for a buffer whose callback wgpu dropped without calling it. Either the device is gone, or another
/// callback panicked earlier in the poll that would have called this one. In the second case the buffer is mapped.
fn uncalled(buffer: &wgpu::Buffer) -> Result<(), Error> {
    mapped::read(buffer, 0, |_| ())
}

/// The result of polling, or the payload of a panic in a callback of the program.
type Outcome = std::thread::Result<Result<(), Error>>;

fn poll(device: &wgpu::Device, poll_type: wgpu::PollType) -> Outcome {
    match catch_unwind(AssertUnwindSafe(|| device.poll(poll_type))) {
        Ok(Ok(_)) => Ok(Ok(())),
        Ok(Err(error)) => Ok(Err(Error::Wgpu { reason: error.to_string() })),
        // wgpu itself panics if the driver reports that the device is lost. Any other panic comes from a callback.
        Err(payload) => match payload.downcast_ref::<String>() {
            Some(text) if text.starts_with("Error in Device::poll") && lost::is_lost(device) => {
                Ok(Err(Error::DeviceLost { reason: "polling it panicked".to_owned() }))
            }
            _ => Err(payload),
        },
    }
}

/// Polls a device until a mapping has arrived.
///
/// Avoids polls that wait with a timeout. If such a poll ends while another thread, in a poll or a submission, finds
/// all work done, an assertion of wgpu-core 30.0 fails (fixed by gfx-rs/wgpu#9958). On GL, a poll that waits also keeps
/// other threads from the device.
struct Poller {
    device: wgpu::Device,
    buffer: wgpu::Buffer,
    arrival: mpsc::Receiver<Result<(), Error>>,
}

/// Starts a thread that polls. It sends its outcome after its last poll, and so after every callback that it called.
fn spawn(poller: Poller) -> Result<oneshot::Receiver<Outcome>, Error> {
    let (sender, outcome) = oneshot::channel();
    std::thread::Builder::new()
        .name("wgpu-clamp poll".to_owned())
        .spawn(move || {
            // Fails if the future was dropped, which is fine.
            let _ = sender.send(poller.run());
        })
        .map_err(|error| Error::Wgpu { reason: format!("no thread to wait for the GPU: {error}") })?;
    Ok(outcome)
}

impl Poller {
    fn run(self) -> Outcome {
        let start = Instant::now();
        loop {
            if let Err(error) = poll(&self.device, wgpu::PollType::Poll)? {
                return Ok(Err(error));
            }
            let elapsed = start.elapsed();
            // Yields at first, since the shortest sleep takes as long as a small copy.
            let short = elapsed < Duration::from_micros(200);
            // A pause of a sixteenth of the time so far adds little to it.
            let pause = (elapsed / 16).clamp(Duration::from_micros(50), Duration::from_millis(2));
            match self.arrival.recv_timeout(if short { Duration::ZERO } else { pause }) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Disconnected) => return Ok(uncalled(&self.buffer)),
                Err(RecvTimeoutError::Timeout) if short => std::thread::yield_now(),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
