//! Buffers that are mapped: writing to them, and reading.

use super::{lost, scope};
use crate::Error;

/// Writes `bytes` to the start of a buffer that is mapped, and unmaps it.
pub(crate) fn fill(device: &wgpu::Device, buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<(), Error> {
    scope::attempt(device, || write(buffer, bytes))
}

/// As [`fill`], within a scope of the caller's.
pub(crate) fn write(buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<(), Error> {
    range(buffer)?.slice(..bytes.len()).copy_from_slice(bytes);
    buffer.unmap();
    Ok(())
}

/// What is said where wgpu does not map a buffer.
pub(crate) fn failed(error: &dyn std::error::Error) -> Error {
    Error::Wgpu { reason: format!("a buffer for host data could not be mapped: {error}") }
}

/// The whole of a buffer that is mapped for writing.
pub(crate) fn range(buffer: &wgpu::Buffer) -> Result<wgpu::BufferViewMut, Error> {
    buffer.get_mapped_range_mut(..).map_err(|_| lost::gone())
}

/// Hands the first `size` bytes of a buffer that is mapped to `take`.
pub(crate) fn read<R>(buffer: &wgpu::Buffer, size: usize, take: impl FnOnce(&[u8]) -> R) -> Result<R, Error> {
    let bytes = buffer.get_mapped_range(..).map_err(|error| failed(&error))?;
    Ok(take(&bytes[..size]))
}
