//! Catches wgpu's errors while the crate creates objects on a caller's device, and tells a lost device from other errors.

use crate::Error;

/// Runs `create` and returns wgpu's reports as an error.
///
/// The scopes are popped at once, so a caller's own scopes see none of these errors, and no callback is installed. On
/// the web a popped scope answers later, so no scope is pushed: an error reaches the caller's scope or handler.
pub(crate) fn catch<T>(device: &wgpu::Device, create: impl FnOnce() -> T) -> Result<T, Error> {
    within(device, create).map_err(|error| blame(device, error))
}

#[cfg(not(target_arch = "wasm32"))]
pub(super) fn within<T>(device: &wgpu::Device, create: impl FnOnce() -> T) -> Result<T, Error> {
    use std::future::Future as _;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    let filters =
        [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::OutOfMemory];
    let scopes = filters.map(|filter| device.push_error_scope(filter));
    let created = create();
    let mut first = None;
    for scope in scopes.into_iter().rev() {
        // Native backends answer at once.
        if let Poll::Ready(Some(error)) = pin!(scope.pop()).poll(&mut Context::from_waker(Waker::noop())) {
            first.get_or_insert(error);
        }
    }
    match first {
        None => Ok(created),
        Some(wgpu::Error::OutOfMemory { source }) => {
            Err(Error::OutOfMemory { reason: in_one_line(&source.to_string()) })
        }
        Some(error) => Err(Error::Wgpu { reason: in_one_line(&error.to_string()) }),
    }
}

/// Joins the causes of an error. wgpu writes one cause per line, with blank lines between.
#[cfg(not(target_arch = "wasm32"))]
fn in_one_line(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" / ")
}

/// Runs `create` without scopes; see [`catch`].
#[cfg(target_arch = "wasm32")]
pub(super) fn within<T>(_: &wgpu::Device, create: impl FnOnce() -> T) -> Result<T, Error> {
    Ok(create())
}

/// Runs a `create` that can fail by itself. If wgpu reports an error too, wgpu's error is the cause and is returned.
pub(crate) fn attempt<T>(
    device: &wgpu::Device,
    create: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    catch(device, create)?
}

/// Turns an error into [`Error::DeviceLost`] if the device is lost. Drops wgpu's words, which blame the first object
/// that met the lost device.
pub(crate) fn blame(device: &wgpu::Device, error: Error) -> Error {
    let lost = match error {
        Error::DeviceLost { .. } => true,
        Error::Wgpu { .. } => is_lost(device),
        _ => false,
    };
    if lost { gone() } else { error }
}

pub(crate) fn gone() -> Error {
    Error::DeviceLost { reason: "it was destroyed, or its driver gave it up".to_owned() }
}

/// Whether the device is lost or destroyed. wgpu reports a loss in many ways, so this function maps a new buffer, which
/// fails on a lost device.
pub(crate) fn is_lost(device: &wgpu::Device) -> bool {
    let probe = || {
        let (label, usage) = (Some("wgpu-clamp probe"), wgpu::BufferUsages::COPY_SRC);
        let descriptor = wgpu::BufferDescriptor { label, size: 4, usage, mapped_at_creation: true };
        device.create_buffer(&descriptor).get_mapped_range_mut(..).is_ok()
    };
    !matches!(within(device, probe), Ok(true))
}
