//! Maps buffers. A browser polls the device by itself; on native, `until_mapped` polls.

#[cfg(not(target_arch = "wasm32"))]
mod polling;

use futures_channel::oneshot;

use crate::Error;
use crate::gpu::{mapped, scope};

#[cfg(not(target_arch = "wasm32"))]
pub(super) use polling::until_mapped;

/// The result of a mapping, sent by its callback.
pub(super) type Arrival = oneshot::Receiver<Result<(), Error>>;

/// Asks wgpu to map the whole buffer, once the work that uses it is done.
pub(super) fn start(
    device: &wgpu::Device,
    buffer: &wgpu::Buffer,
    mode: wgpu::MapMode,
) -> Result<Arrival, Error> {
    let (sender, arrival) = oneshot::channel();
    scope::catch(device, || {
        buffer.map_async(mode, .., move |result| {
            // Fails if the future was dropped, which is fine.
            let _ = sender.send(result.map_err(|error| mapped::failed(&error)));
        });
    })?;
    Ok(arrival)
}

/// Waits until the buffer is mapped. `submission` is the last one that uses the buffer.
#[cfg(target_arch = "wasm32")]
pub(super) async fn until_mapped(
    _: &wgpu::Device,
    _: &wgpu::Buffer,
    _: wgpu::SubmissionIndex,
    arrival: Arrival,
) -> Result<(), Error> {
    let dropped = |_| Error::Wgpu { reason: "wgpu dropped the callback of the mapping".to_owned() };
    arrival.await.map_err(dropped)?
}
