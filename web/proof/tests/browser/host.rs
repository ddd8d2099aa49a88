//! Uploads, readbacks and slices of host memory.

use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Waker};

use wasm_bindgen_test::wasm_bindgen_test;
use wgpu_clamp::{Clamp, DType, Host, Operands, Tensor};

use crate::harness::Gpu;

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 251) as u8).collect()
}

#[wasm_bindgen_test]
async fn a_device_is_opened_and_named() {
    let host = Host::open().await.unwrap();
    assert!(host.adapter().contains("BrowserWebGpu"), "{}", host.adapter());
    let mut out = [0.0_f32; 3];
    host.clamp_slice(&Clamp::new(0.0_f32, 6.0), &[-1.5_f32, 0.25, 7.0], &mut out).run().await.unwrap();
    assert_eq!(out.map(f32::to_bits), [0.0_f32, 0.25, 6.0].map(f32::to_bits));
}

/// Buffers are whole words long, host memory need not be.
#[wasm_bindgen_test]
async fn odd_lengths() {
    let gpu = Gpu::open().await;
    let clamp = Clamp::new(50_u8, 201);
    for len in (0..20).chain([4_095, 4_097]) {
        let src = bytes(len);
        let right: Vec<u8> = src.iter().map(|&x| x.clamp(50, 201)).collect();
        let tensor = Tensor::upload(&gpu.host, &[len], &src).unwrap();
        assert_eq!(tensor.read::<u8>().await.unwrap(), src);
        gpu.host
            .submit(
                &clamp,
                Operands::new(tensor.view(), Tensor::zeros(&gpu.host, DType::U8, &[len]).unwrap().view()),
            )
            .unwrap();
        assert_eq!(tensor.read::<u8>().await.unwrap(), src);
        let mut dst = vec![0; len];
        gpu.host.clamp_slice(&clamp, &src, &mut dst).run().await.unwrap();
        assert_eq!(dst, right);
        dst.copy_from_slice(&src);
        gpu.host.clamp_slice_in_place(&clamp, &mut dst).run().await.unwrap();
        assert_eq!(dst, right);
        let mut wide = vec![0.0_f32; len];
        let to_floats = Clamp::new(0.0_f32, 300.0).with_source(DType::U8).unwrap();
        gpu.host.clamp_slice(&to_floats, &src, &mut wide).run().await.unwrap();
        assert_eq!(wide, src.iter().map(|&x| f32::from(x)).collect::<Vec<_>>());
    }
    gpu.close().await;
}

/// The slice goes through the device in chunks, and the progress shows them.
#[wasm_bindgen_test]
async fn a_slice_larger_than_a_binding() {
    let gpu = Gpu::open().await;
    let len = gpu.device().limits().max_storage_buffer_binding_size as usize + 12_345;
    let mut data = bytes(len);
    let mut said = Vec::new();
    let clamp = Clamp::new(50_u8, 201);
    let run = gpu.host.clamp_slice_in_place(&clamp, &mut data);
    run.with_progress(|done, total| said.push((done, total))).run().await.unwrap();
    assert_eq!(said.last(), Some(&(len, len)));
    assert!(said.len() > 3 && said.is_sorted(), "{said:?}");
    assert!(data.iter().enumerate().all(|(i, &x)| x == ((i * 7 + i / 251) as u8).clamp(50, 201)));
    gpu.close().await;
}

/// The browser finishes the work under way, and the device stays usable.
#[wasm_bindgen_test]
async fn a_dropped_future_leaves_the_slice_alone_and_the_device_alive() {
    let gpu = Gpu::open().await;
    let clamp = Clamp::new(1_u32, 2);
    let mut data = vec![9_u32; 100_000];
    {
        let mut run = pin!(gpu.host.clamp_slice_in_place(&clamp, &mut data).run());
        // Nothing arrives before this function gives the thread back to the browser.
        assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    assert!(data.iter().all(|&x| x == 9));
    gpu.host.clamp_slice_in_place(&clamp, &mut data).run().await.unwrap();
    assert!(data.iter().all(|&x| x == 2));
    gpu.close().await;
}
