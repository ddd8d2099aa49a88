//! Devices that are destroyed.

use wasm_bindgen_test::wasm_bindgen_test;
use wgpu_clamp::{Clamp, DType, Error, Operands, Tensor};

use crate::harness::Gpu;

/// WebGPU accepts all calls on a destroyed device and does nothing. Only a readback fails.
#[wasm_bindgen_test]
async fn a_destroyed_device_is_an_error_and_no_trap() {
    let gpu = Gpu::open().await;
    let tensor = Tensor::upload(&gpu.host, &[4], &[1_u8, 2, 3, 4]).unwrap();
    let clamp = Clamp::new(2_u8, 3);
    gpu.device().destroy();

    gpu.host.submit(&clamp, Operands::in_place(tensor.view())).unwrap();
    Tensor::zeros(&gpu.host, DType::U8, &[4]).unwrap();
    Tensor::upload(&gpu.host, &[4], &[1_u8, 2, 3, 4]).unwrap();
    let mut data = [1_u8, 2, 3, 4];
    let errors = [
        tensor.read::<u8>().await.unwrap_err(),
        gpu.host.clamp_slice_in_place(&clamp, &mut data).run().await.unwrap_err(),
        gpu.host.self_test().cases(0..1).run().await.unwrap_err(),
    ];
    assert!(errors.iter().all(|error| matches!(error, Error::Wgpu { .. })), "{errors:?}");
    assert_eq!(data, [1, 2, 3, 4]);
    gpu.close().await;
}
