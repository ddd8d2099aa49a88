//! Buffers of our own: creating, mapping, reading back.

#[cfg(not(target_arch = "wasm32"))]
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(not(target_arch = "wasm32"))]
use std::sync::Weak;
use std::sync::{Arc, Mutex, PoisonError};
#[cfg(not(target_arch = "wasm32"))]
use std::time::{Duration, Instant};

use futures_channel::oneshot;

use crate::gpu::{lost, mapped, scope};
use crate::{Error, Host};

/// What every buffer made here is for.
pub(crate) const USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// A buffer of at least `size` bytes for data: whole words, and no less than one. With `bytes`, it starts with
/// these; otherwise with zeros. `argument` is what the caller's caller knows the data by.
pub(crate) fn create(
    host: &Host,
    argument: &'static str,
    size: u64,
    bytes: Option<&[u8]>,
) -> Result<wgpu::Buffer, Error> {
    let buffer = create_buffer(host, argument, size, USAGES, bytes.is_some())?;
    if let Some(bytes) = bytes {
        let device = host.clamper().device();
        mapped::fill(device, &buffer, bytes).map_err(|error| lost::blame(device, error))?;
    }
    Ok(buffer)
}

/// A buffer of at least `size` bytes: whole words, and no less than one.
pub(crate) fn create_buffer(
    host: &Host,
    argument: &'static str,
    size: u64,
    usage: wgpu::BufferUsages,
    mapped_at_creation: bool,
) -> Result<wgpu::Buffer, Error> {
    let device = host.clamper().device();
    let needed = size.max(4).checked_next_multiple_of(4).unwrap_or(u64::MAX);
    let limit = device.limits().max_buffer_size;
    if needed > limit {
        return Err(Error::TooLarge {
            argument,
            needed,
            unit: "bytes in one buffer",
            limit_name: "max_buffer_size",
            limit,
        });
    }
    scope::catch(device, || {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("wgpu-clamp data"),
            size: needed,
            usage,
            mapped_at_creation,
        })
    })
}

/// Copies the first `size` bytes of `buffer` to host memory and hands them to `take`, after all that was
/// submitted before.
pub(crate) async fn read<R>(
    host: &Host,
    buffer: &wgpu::Buffer,
    size: usize,
    take: impl FnOnce(&[u8]) -> R,
) -> Result<R, Error> {
    if size == 0 {
        return Ok(take(&[]));
    }
    let read = read_all(host, buffer, size, take).await;
    read.map_err(|error| lost::blame(host.clamper().device(), error))
}

async fn read_all<R>(
    host: &Host,
    buffer: &wgpu::Buffer,
    size: usize,
    take: impl FnOnce(&[u8]) -> R,
) -> Result<R, Error> {
    let device = host.clamper().device();
    let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
    let staging = create_buffer(host, "tensor", size as u64, usage, false)?;
    let submission = scope::catch(device, || {
        let mut encoder = device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("wgpu-clamp readback") });
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, staging.size());
        host.queue().submit([encoder.finish()])
    })?;
    Mapping::start(device, &staging, wgpu::MapMode::Read, submission)?.wait().await?;
    mapped::read(&staging, size, take)
}

/// A buffer on its way to being mapped.
pub(crate) struct Mapping {
    arrival: oneshot::Receiver<Result<(), Error>>,
    #[cfg(not(target_arch = "wasm32"))]
    poller: Poller,
}

impl Mapping {
    /// Asks for the whole buffer to be mapped, once `submission` is done, the last that uses the buffer.
    pub(crate) fn start(
        device: &wgpu::Device,
        buffer: &wgpu::Buffer,
        mode: wgpu::MapMode,
        submission: wgpu::SubmissionIndex,
    ) -> Result<Self, Error> {
        let (sender, arrival) = oneshot::channel();
        let sender = Arc::new(Mutex::new(Some(sender)));
        #[cfg(not(target_arch = "wasm32"))]
        let poller = Poller { device: device.clone(), submission, sender: Arc::downgrade(&sender) };
        scope::catch(device, || {
            buffer.map_async(mode, .., move |result| {
                tell(&sender, result.map_err(|error| Error::Readback { reason: error.to_string() }));
            });
        })?;
        #[cfg(target_arch = "wasm32")]
        let _ = submission;
        Ok(Self {
            arrival,
            #[cfg(not(target_arch = "wasm32"))]
            poller,
        })
    }

    /// Waits until the buffer is mapped.
    ///
    /// Native code has nobody who polls the device for it, so this does: once, which is enough if the GPU is done,
    /// else on a thread; on the web the browser does. It polls during the wait only: a poll that finds the device
    /// destroyed frees what is mapped (wgpu 30), and the task that waits is the one that would be reading it.
    pub(crate) async fn wait(
        #[cfg_attr(target_arch = "wasm32", expect(unused_mut, reason = "the native part asks first"))]
        mut self,
    ) -> Result<(), Error> {
        // By wgpu: the device is gone, which whoever gets the error finds out, or a callback of the program's panicked
        // in the poll that would have called this one next.
        let dropped = |_| Error::Readback { reason: "wgpu dropped the callback of the mapping".to_owned() };
        #[cfg(target_arch = "wasm32")]
        return self.arrival.await.map_err(dropped)?;
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.poller.poll(wgpu::PollType::Poll)?;
            if let Some(result) = self.arrival.try_recv().map_err(dropped)? {
                result?;
            } else {
                self.poller.spawn()?;
                self.arrival.await.map_err(dropped)??;
            }
            self.poller.check()
        }
    }
}

/// Of wgpu's callback, and the thread that polls knows of it: whoever knows first tells.
type Sender = Mutex<Option<oneshot::Sender<Result<(), Error>>>>;

fn tell(sender: &Sender, result: Result<(), Error>) {
    if let Some(sender) = sender.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // Nobody listens any more if the future was dropped.
        let _ = sender.send(result);
    }
}

/// Polls a device until a mapping has arrived.
///
/// Never in a wait with a timeout: one that ends as another thread finds all work done, in a poll or a submission,
/// fails an assertion of wgpu-core (30.0; mended by gfx-rs/wgpu#9958). On GL, a poll that waits also keeps other
/// threads from the device.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone)]
struct Poller {
    device: wgpu::Device,
    submission: wgpu::SubmissionIndex,
    /// None any more if wgpu has dropped its callback.
    sender: Weak<Sender>,
}

#[cfg(not(target_arch = "wasm32"))]
impl Poller {
    fn spawn(&self) -> Result<(), Error> {
        let poller = self.clone();
        std::thread::Builder::new()
            .name("wgpu-clamp poll".to_owned())
            .spawn(move || poller.run())
            .map(|_| ())
            .map_err(|error| Error::Readback { reason: format!("no thread to poll the device: {error}") })
    }

    fn run(self) {
        let start = Instant::now();
        // The callback takes it, perhaps on another thread that polls.
        let waiting = |sender: &Sender| sender.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        while self.sender.upgrade().is_some_and(|sender| waiting(&sender)) {
            if let Err(error) = self.poll(wgpu::PollType::Poll) {
                if let Some(sender) = self.sender.upgrade() {
                    tell(&sender, Err(error));
                }
                return;
            }
            let elapsed = start.elapsed();
            if elapsed < Duration::from_micros(200) {
                // The shortest sleep takes as long as a small copy.
                std::thread::yield_now();
            } else {
                // A sixteenth of what it took so far is little to add to it.
                std::thread::sleep((elapsed / 16).clamp(Duration::from_micros(50), Duration::from_millis(2)));
            }
        }
    }

    /// Refuses a submission to the queue of another device, of whose work a mapping that has arrived knows nothing.
    /// This waits for nothing, since the right one is done. If the poll finds the device destroyed, nothing is mapped
    /// any more, and wgpu says so to whoever reads.
    fn check(&self) -> Result<(), Error> {
        self.poll(wgpu::PollType::Wait { submission_index: Some(self.submission.clone()), timeout: None })
    }

    fn poll(&self, poll_type: wgpu::PollType) -> Result<(), Error> {
        let poll = || self.device.poll(poll_type);
        // wgpu panics where the driver says that the device is lost.
        match catch_unwind(AssertUnwindSafe(poll)) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(Error::Readback { reason: error.to_string() }),
            Err(_) if lost::is_lost(&self.device) => {
                Err(Error::DeviceLost { reason: "polling it panicked".to_owned() })
            }
            // A callback of the program's, which the poll has called.
            Err(_) => Err(Error::Readback { reason: "a callback panicked in the poll".to_owned() }),
        }
    }
}
