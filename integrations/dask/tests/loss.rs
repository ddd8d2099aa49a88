//! Tests the loss of a device. The Python module cannot lose its device on purpose, so this test includes its source.

#[path = "../src/gpu.rs"]
mod gpu;

use gpu::Failure;
use wgpu_clamp::{Clamp, Error, Host};

fn clamp(host: &Host) -> Result<(), Error> {
    let mut data = [3_u8, 7];
    host.clamp_slice_in_place(&Clamp::at_most(5_u8), &mut data).run_blocking()?;
    assert_eq!(data, [3, 5]);
    Ok(())
}

/// The device of this process. Another device may compare equal to it.
fn device() -> wgpu_clamp::wgpu::Device {
    gpu::call(|host| clamp(host).map(|()| host.clamper().device().clone())).unwrap()
}

#[track_caller]
fn assert_lost(result: &Result<(), Failure>) {
    assert!(matches!(result, Err(Failure::Failed(Error::DeviceLost { .. }))), "{result:?}");
}

/// One test, as a process has one device.
#[test]
fn after_a_loss_another_device_is_opened_once() {
    device().destroy();
    assert_lost(&gpu::call(clamp));
    gpu::call(clamp).unwrap();

    // A call that notices the loss late, after another call has noticed it and the next device is open.
    let mut next = None;
    let late = gpu::call(|host| {
        host.clamper().device().destroy();
        assert_lost(&gpu::call(clamp));
        next = Some(device());
        clamp(host)
    });
    assert_lost(&late);
    // The next device is still in use: no call has opened another.
    next.unwrap().destroy();
    assert_lost(&gpu::call(clamp));
    gpu::call(clamp).unwrap();
}
