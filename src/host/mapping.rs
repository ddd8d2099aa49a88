//! Buffers on their way to being mapped. Native code has nobody who polls the device for them, so this does.

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
    /// From the callback.
    arrival: mpsc::Receiver<Result<(), Error>>,
}

impl Mapping {
    /// Asks for the whole buffer to be mapped, once `submission` is done, the last that uses the buffer.
    pub(crate) fn start(
        device: &wgpu::Device,
        buffer: &wgpu::Buffer,
        mode: wgpu::MapMode,
        submission: wgpu::SubmissionIndex,
    ) -> Result<Self, Error> {
        let (sender, arrival) = mpsc::channel();
        scope::catch(device, || {
            buffer.map_async(mode, .., move |result| {
                // Nobody listens any more if the future was dropped.
                let _ = sender.send(result.map_err(|error| mapped::failed(&error)));
            });
        })?;
        Ok(Self { device: device.clone(), buffer: buffer.clone(), submission, arrival })
    }

    /// Waits until the buffer is mapped.
    ///
    /// It polls once, which is enough if the GPU is done, else on a thread. A callback of the program's that panics in one
    /// of these polls does so here, as if the caller had polled.
    ///
    /// It polls during the wait only: a poll that finds the device destroyed frees what is mapped (wgpu 30), and the task
    /// that waits is the one that would be reading it.
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
        // Refuses a submission to the queue of another device, of whose work a mapping that has arrived knows nothing.
        // This waits for nothing, since the right one is done. If the poll finds the device destroyed, nothing is mapped
        // any more, and wgpu says so to whoever reads.
        let done = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
        poll(&device, done).unwrap_or_else(|payload| resume_unwind(payload))
    }
}

/// What is known of a buffer for which wgpu has dropped the callback, uncalled: the device is gone, or, in whoever's poll
/// that would have called this one next, another callback has panicked. Then the buffer is mapped.
fn uncalled(buffer: &wgpu::Buffer) -> Result<(), Error> {
    mapped::read(buffer, 0, |_| ())
}

/// A result, or the payload of a callback of the program's that has panicked.
type Outcome = std::thread::Result<Result<(), Error>>;

fn poll(device: &wgpu::Device, poll_type: wgpu::PollType) -> Outcome {
    match catch_unwind(AssertUnwindSafe(|| device.poll(poll_type))) {
        Ok(Ok(_)) => Ok(Ok(())),
        Ok(Err(error)) => Ok(Err(Error::Wgpu { reason: error.to_string() })),
        // wgpu panics by itself where the driver says that the device is lost; all else is of a callback.
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
/// Never in a wait with a timeout: one that ends as another thread finds all work done, in a poll or a submission,
/// fails an assertion of wgpu-core (30.0; mended by gfx-rs/wgpu#9958). On GL, a poll that waits also keeps other
/// threads from the device.
struct Poller {
    device: wgpu::Device,
    buffer: wgpu::Buffer,
    arrival: mpsc::Receiver<Result<(), Error>>,
}

/// Lets a thread poll. It tells when its last poll has ended, and with it the callbacks that this has called.
fn spawn(poller: Poller) -> Result<oneshot::Receiver<Outcome>, Error> {
    let (sender, outcome) = oneshot::channel();
    std::thread::Builder::new()
        .name("wgpu-clamp poll".to_owned())
        .spawn(move || {
            // Nobody listens any more if the future was dropped.
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
            // The shortest sleep takes as long as a small copy.
            let short = elapsed < Duration::from_micros(200);
            // A sixteenth of what it took so far is little to add to it.
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
