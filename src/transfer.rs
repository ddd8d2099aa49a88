//! Buffers of our own: creating, mapping, reading back.

use std::sync::{Arc, Mutex, PoisonError};

use futures_channel::oneshot;

use crate::{Error, Host, scope};

/// What every buffer made here is for.
pub(crate) const USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// A buffer of at least `size` bytes for data: whole words, and no less than one. With `bytes`, it starts with
/// these; otherwise with zeros.
pub(crate) fn create(host: &Host, size: u64, bytes: Option<&[u8]>) -> Result<wgpu::Buffer, Error> {
    let buffer = create_buffer(host, size, USAGES, bytes.is_some())?;
    if let Some(bytes) = bytes {
        scope::fill(host.clamper().device(), &buffer, bytes)?;
    }
    Ok(buffer)
}

/// Hands the first `size` bytes of a buffer that is mapped to `take`.
pub(crate) fn take<R>(buffer: &wgpu::Buffer, size: usize, take: impl FnOnce(&[u8]) -> R) -> Result<R, Error> {
    let bytes = buffer.get_mapped_range(..).map_err(|error| Error::Readback { reason: error.to_string() })?;
    Ok(take(&bytes[..size]))
}

/// A buffer of at least `size` bytes: whole words, and no less than one.
pub(crate) fn create_buffer(
    host: &Host,
    size: u64,
    usage: wgpu::BufferUsages,
    mapped_at_creation: bool,
) -> Result<wgpu::Buffer, Error> {
    let device = host.clamper().device();
    let needed = size.max(4).checked_next_multiple_of(4).unwrap_or(u64::MAX);
    let limit = device.limits().max_buffer_size;
    if needed > limit {
        return Err(Error::TooLarge {
            argument: "data",
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
///
/// Native code has nobody who polls the device for it, so a thread does until the copy has arrived; on the web
/// the browser does.
pub(crate) async fn read<R>(
    host: &Host,
    buffer: &wgpu::Buffer,
    size: usize,
    take: impl FnOnce(&[u8]) -> R,
) -> Result<R, Error> {
    if size == 0 {
        return Ok(take(&[]));
    }
    let device = host.clamper().device();
    let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
    let staging = create_buffer(host, size as u64, usage, false)?;
    let submission = scope::catch(device, || {
        let mut encoder = device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("wgpu-clamp readback") });
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, staging.size());
        host.queue().submit([encoder.finish()])
    })?;
    let mapped = map(device, &staging, wgpu::MapMode::Read)?;
    poll_until(device, submission, &[&mapped])?;
    mapped.wait().await?;
    self::take(&staging, size, take)
}

/// A buffer on its way to being mapped.
pub(crate) struct Mapping {
    arrival: oneshot::Receiver<Result<(), Error>>,
    /// Shared with wgpu's callback and the thread that polls: whoever knows first tells.
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "nobody polls there"))]
    sender: Sender,
}

type Sender = Arc<Mutex<Option<oneshot::Sender<Result<(), Error>>>>>;

fn tell(sender: &Sender, result: Result<(), Error>) {
    if let Some(sender) = sender.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // Nobody listens any more if the future was dropped.
        let _ = sender.send(result);
    }
}

/// Asks for the whole buffer to be mapped, once all that was submitted before is done.
pub(crate) fn map(
    device: &wgpu::Device,
    buffer: &wgpu::Buffer,
    mode: wgpu::MapMode,
) -> Result<Mapping, Error> {
    let (sender, arrival) = oneshot::channel();
    let sender = Arc::new(Mutex::new(Some(sender)));
    let callback = Arc::clone(&sender);
    scope::catch(device, || {
        buffer.map_async(mode, .., move |result| {
            tell(&callback, result.map_err(|error| Error::Readback { reason: error.to_string() }));
        });
    })?;
    Ok(Mapping { arrival, sender })
}

impl Mapping {
    /// Waits, but does not poll the device: see [`poll_until`].
    pub(crate) async fn wait(self) -> Result<(), Error> {
        let lost = |_| Error::DeviceLost { reason: "the mapping was dropped".to_owned() };
        self.arrival.await.map_err(lost)?
    }
}

/// Has `device` polled in the background until `submission` is done, and with it `mappings`. Should polling fail, they
/// end with an error.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn poll_until(
    device: &wgpu::Device,
    submission: wgpu::SubmissionIndex,
    mappings: &[&Mapping],
) -> Result<(), Error> {
    // Short waits: on GL a waiting poll keeps other threads from the device.
    const SLICE: std::time::Duration = std::time::Duration::from_millis(20);
    let device = device.clone();
    let watch = Watch(mappings.iter().map(|mapping| Arc::clone(&mapping.sender)).collect());
    let poll = move || {
        let watch = watch;
        loop {
            let slice =
                wgpu::PollType::Wait { submission_index: Some(submission.clone()), timeout: Some(SLICE) };
            match device.poll(slice) {
                Err(wgpu::PollError::Timeout) => {}
                Ok(_) => return watch.done(),
                Err(error) => return watch.fail(&error.to_string()),
            }
        }
    };
    std::thread::Builder::new()
        .name("wgpu-clamp poll".to_owned())
        .spawn(poll)
        .map(|_| ())
        .map_err(|error| Error::Readback { reason: format!("no thread to poll the device: {error}") })
}

#[cfg(target_arch = "wasm32")]
#[expect(clippy::unnecessary_wraps, reason = "the native twin can fail")]
pub(crate) fn poll_until(_: &wgpu::Device, _: wgpu::SubmissionIndex, _: &[&Mapping]) -> Result<(), Error> {
    Ok(())
}

/// Mappings that wait for a poll. If polling panics, as wgpu does where a device is lost in the middle, they end with
/// an error in place of never.
#[cfg(not(target_arch = "wasm32"))]
struct Watch(Vec<Sender>);

#[cfg(not(target_arch = "wasm32"))]
impl Watch {
    /// The callbacks have told, or are about to on another thread.
    fn done(mut self) {
        self.0.clear();
    }

    fn fail(mut self, reason: &str) {
        for sender in self.0.drain(..) {
            tell(&sender, Err(Error::Readback { reason: reason.to_owned() }));
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Drop for Watch {
    fn drop(&mut self) {
        for sender in self.0.drain(..) {
            tell(&sender, Err(Error::DeviceLost { reason: "polling it failed".to_owned() }));
        }
    }
}
