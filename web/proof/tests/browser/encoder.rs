//! Clamps in a program's own encoder and pass.

use wasm_bindgen_test::wasm_bindgen_test;
use wgpu_clamp::{Clamp, DType, Layout, Operands, Tensor, View, wgpu};

use crate::harness::{Gpu, packed};

#[wasm_bindgen_test]
async fn prepared_once_and_recorded_into_one_pass() {
    let gpu = Gpu::open().await;
    let clamper = gpu.host.clamper();
    let pixels = Tensor::upload(&gpu.host, &[2, 3], &[0_u8, 10, 20, 30, 40, 250]).unwrap();
    let planes = Tensor::zeros(&gpu.host, DType::U8, &[3, 2]).unwrap();
    let interleaved: Layout = packed(&[2, 3]).permute(&[1, 0]).unwrap();
    let double = Clamp::at_most(200_u8).with_affine(2.0, 1.0).unwrap();
    let double = clamper
        .prepare(
            &double,
            Operands::new(
                View::of::<u8>(pixels.buffer(), interleaved),
                View::of::<u8>(planes.buffer(), packed(&[3, 2])),
            ),
        )
        .unwrap();
    let cap = clamper.prepare(&Clamp::at_least(30_u8), Operands::in_place(planes.view())).unwrap();
    drop(pixels);

    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        double.record(&mut pass);
        cap.record(&mut pass);
        double.record(&mut pass);
        cap.record(&mut pass);
    }
    let back = Tensor::zeros(&gpu.host, DType::U8, &[3, 2]).unwrap();
    clamper.encode(&mut encoder, &Clamp::at_most(190_u8), Operands::new(planes.view(), back.view())).unwrap();
    gpu.host.queue().submit([encoder.finish()]);
    assert_eq!(planes.read::<u8>().await.unwrap(), [30, 61, 30, 81, 41, 200]);
    assert_eq!(back.read::<u8>().await.unwrap(), [30, 61, 30, 81, 41, 190]);
    gpu.close().await;
}
