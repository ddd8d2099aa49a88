//! Devices that are lost or destroyed.

use super::{mapped, scope};
use crate::Error;

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
