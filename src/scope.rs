//! Errors of wgpu while the crate makes objects of its own on a caller's device.

use crate::Error;

/// Runs `create` and returns what wgpu reported meanwhile as an error.
///
/// The scopes are popped at once, so a caller's own scopes see nothing of it and no callback is installed.
/// On the web a popped scope answers later; there an error reaches the caller's own scope or handler.
pub(crate) fn catch<T>(device: &wgpu::Device, create: impl FnOnce() -> T) -> Result<T, Error> {
    within(device, create).map_err(|error| blame(device, error))
}

#[cfg(not(target_arch = "wasm32"))]
fn within<T>(device: &wgpu::Device, create: impl FnOnce() -> T) -> Result<T, Error> {
    use std::future::Future as _;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    let filters =
        [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::OutOfMemory];
    let scopes = filters.map(|filter| device.push_error_scope(filter));
    let created = create();
    let mut first = None;
    for scope in scopes.into_iter().rev() {
        // Ready at once on every native backend.
        if let Poll::Ready(Some(error)) = pin!(scope.pop()).poll(&mut Context::from_waker(Waker::noop())) {
            first.get_or_insert(error);
        }
    }
    match first {
        None => Ok(created),
        Some(wgpu::Error::OutOfMemory { source }) => Err(Error::OutOfMemory { reason: source.to_string() }),
        Some(error) => Err(Error::Internal { reason: error.to_string() }),
    }
}

/// See the native twin.
#[cfg(target_arch = "wasm32")]
fn within<T>(_: &wgpu::Device, create: impl FnOnce() -> T) -> Result<T, Error> {
    Ok(create())
}

/// As [`catch`], for what can fail by itself: what wgpu reported comes first, as the cause.
pub(crate) fn attempt<T>(
    device: &wgpu::Device,
    create: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    catch(device, create)?
}

/// The error as [`Error::DeviceLost`], if that is what is behind it.
pub(crate) fn blame(device: &wgpu::Device, error: Error) -> Error {
    match error {
        Error::Internal { .. } | Error::Readback { .. } if is_lost(device) => {
            Error::DeviceLost { reason: error.to_string() }
        }
        error => error,
    }
}

/// Whether the device is lost or destroyed. wgpu tells in many ways; a buffer made mapped, which nobody can write to then,
/// shows it.
pub(crate) fn is_lost(device: &wgpu::Device) -> bool {
    let probe = within(device, || {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("wgpu-clamp probe"),
            size: 4,
            usage: wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        });
        write(&buffer, &[0; 4])
    });
    !matches!(probe, Ok(Ok(())))
}

/// Writes `bytes` to the start of a buffer that is mapped, and unmaps it.
pub(crate) fn fill(device: &wgpu::Device, buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<(), Error> {
    attempt(device, || write(buffer, bytes))
}

/// As [`fill`], within a scope of the caller's.
pub(crate) fn write(buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<(), Error> {
    buffer
        .get_mapped_range_mut(..)
        .map_err(|error| Error::DeviceLost { reason: error.to_string() })?
        .slice(..bytes.len())
        .copy_from_slice(bytes);
    buffer.unmap();
    Ok(())
}
