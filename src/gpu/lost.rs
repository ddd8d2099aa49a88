//! Devices that are lost or destroyed.

use super::{mapped, scope};
use crate::Error;

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

/// Whether the device is lost or destroyed. wgpu reports a loss in many ways, so this function writes to a new mapped
/// buffer. The write fails on a lost device.
pub(crate) fn is_lost(device: &wgpu::Device) -> bool {
    let probe = || mapped::create(device, "wgpu-clamp probe", wgpu::BufferUsages::COPY_SRC, &[0; 4]);
    !matches!(scope::within(device, probe), Ok(Ok(_)))
}
