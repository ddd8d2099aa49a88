//! The crate's own data buffers: creation and readback.

use super::mapping;
use crate::gpu::{mapped, scope};
use crate::{Error, Host};

/// Usages of a buffer for data on the GPU.
pub(crate) const USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// Creates a buffer of at least `size` bytes, rounded up to one or more 4-byte words. An error about the size names
/// `argument`.
pub(crate) fn create(
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
        return Err(Error::Limit {
            argument,
            needed,
            limit_name: "max_buffer_size",
            limit,
            remedy: format!("split the {needed} bytes among several tensors"),
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

/// Copies the first `size` bytes of `buffer` to host memory, after all earlier submissions, and hands them to `take`.
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
    let read = async {
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let staging = create(host, "tensor", size as u64, usage, false)?;
        let submission = scope::catch(device, || {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("wgpu-clamp readback"),
            });
            encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, staging.size());
            host.queue().submit([encoder.finish()])
        })?;
        let arrival = mapping::start(device, &staging, wgpu::MapMode::Read)?;
        mapping::until_mapped(device, &staging, submission, arrival).await?;
        mapped::read(&staging, size, take)
    };
    read.await.map_err(|error| scope::blame(device, error))
}
