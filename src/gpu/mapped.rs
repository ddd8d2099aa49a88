//! Writes to mapped buffers, and reads from them.

use super::scope;
use crate::Error;

/// Creates a buffer with the contents `bytes`. Call it within an error scope.
pub(crate) fn create(
    device: &wgpu::Device,
    label: &str,
    usage: wgpu::BufferUsages,
    bytes: &[u8],
) -> Result<wgpu::Buffer, Error> {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: bytes.len() as u64,
        usage,
        mapped_at_creation: true,
    });
    write(&buffer, bytes)?;
    Ok(buffer)
}

/// Runs [`write`] in an error scope.
pub(crate) fn fill(device: &wgpu::Device, buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<(), Error> {
    scope::attempt(device, || write(buffer, bytes))
}

/// Writes `bytes` to the start of a mapped buffer and unmaps the buffer. Call it within an error scope.
fn write(buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<(), Error> {
    range(buffer)?.slice(..bytes.len()).copy_from_slice(bytes);
    buffer.unmap();
    Ok(())
}

pub(crate) fn failed(error: &dyn std::error::Error) -> Error {
    Error::Wgpu { reason: format!("a buffer for host data could not be mapped: {error}") }
}

/// All bytes of a buffer mapped for writing.
pub(crate) fn range(buffer: &wgpu::Buffer) -> Result<wgpu::BufferViewMut, Error> {
    buffer.get_mapped_range_mut(..).map_err(|_| scope::gone())
}

/// Passes the first `size` bytes of a mapped buffer to `take`.
pub(crate) fn read<R>(buffer: &wgpu::Buffer, size: usize, take: impl FnOnce(&[u8]) -> R) -> Result<R, Error> {
    let bytes = buffer.get_mapped_range(..).map_err(|error| failed(&error))?;
    Ok(take(&bytes[..size]))
}
