//! Waits until a buffer is mapped. The browser polls the device.

use futures_channel::oneshot;

use crate::Error;
use crate::gpu::{mapped, scope};

/// A buffer on its way to being mapped.
pub(crate) struct Mapping {
    arrival: oneshot::Receiver<Result<(), Error>>,
}

impl Mapping {
    /// Asks wgpu to map the whole buffer, once the work that uses it is done.
    pub(crate) fn start(
        device: &wgpu::Device,
        buffer: &wgpu::Buffer,
        mode: wgpu::MapMode,
        _: wgpu::SubmissionIndex,
    ) -> Result<Self, Error> {
        let (sender, arrival) = oneshot::channel();
        scope::catch(device, || {
            buffer.map_async(mode, .., move |result| {
                // Fails if the future was dropped, which is fine.
                let _ = sender.send(result.map_err(|error| mapped::failed(&error)));
            });
        })?;
        Ok(Self { arrival })
    }

    /// Waits until the buffer is mapped.
    pub(crate) async fn wait(self) -> Result<(), Error> {
        let dropped = |_| Error::Wgpu { reason: "wgpu dropped the callback of the mapping".to_owned() };
        self.arrival.await.map_err(dropped)?
    }
}
