//! Tests the loss of a device. The Python module cannot lose its device on purpose, so this test includes its source.

#[path = "../src/gpu.rs"]
mod gpu;

use wgpu_clamp::{Clamp, Error, Host};

fn clamp(host: &Host) -> Result<(), Error> {
    let mut data = [3_u8, 7];
    host.clamp_slice_in_place(Clamp::at_most(5_u8), &mut data).run_blocking()?;
    assert_eq!(data, [3, 5]);
    Ok(())
}

#[test]
fn after_a_loss_another_device_is_opened() {
    gpu::call(|host| clamp(host).map(|()| host.clamper().device().destroy())).unwrap();
    let lost = gpu::call(clamp);
    assert!(matches!(lost, Err(Error::DeviceLost { .. })), "{lost:?}");
    gpu::call(clamp).unwrap();
}
