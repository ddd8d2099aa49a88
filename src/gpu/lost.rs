//! Devices that are lost or destroyed.

use super::{mapped, scope};
use crate::Error;

/// The error as [`Error::DeviceLost`], if that is what is behind it. wgpu's words are those of whatever met it first,
/// an object that is invalid without a fault of its own, so they are left out.
pub(crate) fn blame(device: &wgpu::Device, error: Error) -> Error {
    let lost = match error {
        Error::DeviceLost { .. } => true,
        Error::Wgpu { .. } => is_lost(device),
        _ => false,
    };
    if lost { gone() } else { error }
}

/// The error of a device that is lost or destroyed.
pub(crate) fn gone() -> Error {
    Error::DeviceLost { reason: "it was destroyed, or its driver gave it up".to_owned() }
}

/// Whether the device is lost or destroyed. wgpu tells in many ways; a buffer made mapped, which nobody can write to
/// then, shows it.
pub(crate) fn is_lost(device: &wgpu::Device) -> bool {
    let probe = scope::within(device, || {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("wgpu-clamp probe"),
            size: 4,
            usage: wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        });
        mapped::write(&buffer, &[0; 4])
    });
    !matches!(probe, Ok(Ok(())))
}
