//! Mistakes that the crate can see are errors here too. Mistakes that only WebGPU sees reach the program's error scope.

use wasm_bindgen_test::wasm_bindgen_test;
use wgpu_clamp::{Clamp, DType, Error, Layout, Operands, Tensor, View, wgpu};

use crate::harness::{Gpu, buffer, packed};

/// Checks that all calls refuse the operands with the same error, and that `dst` stays the same. Returns the error.
async fn refused(gpu: &Gpu, clamp: &Clamp, operands: &Operands<'_>, dst: &Tensor) -> Error {
    let before = dst.read_bytes().await.unwrap();
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let error = gpu.host.clamper().encode(&mut encoder, clamp, *operands).unwrap_err();
    assert_eq!(gpu.host.clamper().prepare(clamp, *operands).unwrap_err(), error);
    assert_eq!(gpu.host.submit(clamp, *operands).unwrap_err(), error);
    gpu.host.queue().submit([encoder.finish()]);
    assert_eq!(dst.read_bytes().await.unwrap(), before);
    error
}

#[wasm_bindgen_test]
async fn operands_that_do_not_fit() {
    let gpu = Gpu::open().await;
    let bytes: Vec<u8> = (0..64).collect();
    let (a, b) = (buffer(&gpu, &bytes), buffer(&gpu, &bytes));
    let bare = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 64,
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let (src, dst) = (
        |shape: &[usize]| View::of::<u8>(a.buffer(), packed(shape)),
        |layout| View::of::<u8>(b.buffer(), layout),
    );
    let clamp = Clamp::new(10_u8, 20);
    let shifted = packed(&[64]).slice(0, 8..17).unwrap();
    let overlapping = Layout::strided(&[2, 3], &[2, 1], 0).unwrap();
    for (operands, kind, argument) in [
        (Operands::new(src(&[65]), dst(packed(&[65]))), "Buffer", "src"),
        (Operands::new(src(&[4, 8]), dst(packed(&[8, 4]))), "Argument", "dst"),
        (Operands::new(src(&[2, 3]), dst(overlapping)), "Overlap", "dst"),
        (Operands::new(dst(packed(&[9])), dst(shifted)), "Overlap", "src, dst"),
        (Operands::new(View::of::<i8>(a.buffer(), a.layout()), b.view()), "DType", "src"),
        (Operands::in_place(b.view()).with_min(src(&[2])), "Argument", "min"),
        (Operands::new(View::of::<u8>(&bare, packed(&[64])), b.view()), "Buffer", "src"),
    ] {
        let error = refused(&gpu, &clamp, &operands, &b).await;
        let start = format!("{kind}(Refusal {{ argument: {argument:?},");
        assert!(format!("{error:?}").starts_with(&start), "{error:?} does not start with {start}");
    }
    let operands = Operands::new(src(&[65]), dst(packed(&[65])));
    let error = refused(&gpu, &clamp, &operands, &b).await;
    assert!(error.to_string().contains("need a buffer of 68 bytes, this one has 64;"), "{error}");
    gpu.close().await;
}

#[wasm_bindgen_test]
async fn host_memory_that_does_not_fit() {
    let gpu = Gpu::open().await;
    let clamp = Clamp::new(10_u8, 20);
    let error = gpu.host.clamp_slice(&clamp, &[1_u8; 3], &mut [0_u8; 2]).run().await.unwrap_err();
    assert_eq!(error.to_string(), "dst: 2 elements given; 3 needed");
    let error = gpu.host.clamp_slice(&clamp, &[1_i8; 3], &mut [0_u8; 3]).run().await.unwrap_err();
    assert!(matches!(&error, Error::DType(refusal) if refusal.argument == "src"), "{error:?}");
    let error = Tensor::upload(&gpu.host, &[3], &[0_u8; 2]).unwrap_err();
    assert_eq!(error.to_string(), "data: 2 elements given; 3 needed");
    let error = Tensor::zeros(&gpu.host, DType::U8, &[1, 4]).unwrap().read::<i8>().await.unwrap_err();
    assert!(matches!(&error, Error::DType(refusal) if refusal.argument == "T"), "{error:?}");
    let limit = gpu.device().limits().max_buffer_size;
    let error = Tensor::zeros(&gpu.host, DType::U8, &[limit as usize + 1]).unwrap_err();
    assert!(matches!(error, Error::Limit { limit_name: "max_buffer_size", .. }), "{error:?}");
    gpu.close().await;
}

/// The crate cannot see that a buffer is destroyed, so the call succeeds and the program's error scope has the error.
/// On native, the call itself fails.
#[wasm_bindgen_test]
async fn a_destroyed_buffer_is_reported_to_the_error_scope() {
    let gpu = Gpu::open().await;
    let tensor = buffer(&gpu, &[1, 2, 3, 4]);
    tensor.buffer().destroy();
    let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
    gpu.host.submit(&Clamp::new(2_u8, 3), Operands::in_place(tensor.view())).unwrap();
    let error = scope.pop().await.expect("WebGPU refuses the submission");
    assert!(error.to_string().contains("destroyed"), "{error}");
    gpu.close().await;
}
