//! The crate's own data buffers: creation and readback.

use super::mapping::Mapping;
use crate::gpu::{lost, mapped, scope};
use crate::{Error, Host};

/// Usages of a buffer for data on the GPU.
pub(crate) const USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// A data buffer of at least `size` bytes: one or more whole words. It starts with `bytes`, if given; the rest is
/// zeros. Errors name the data `argument`.
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

/// A buffer of at least `size` bytes: one or more whole words.
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
