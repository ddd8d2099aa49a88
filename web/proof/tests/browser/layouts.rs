//! Strides of every kind, in place and not, and a tensor that exceeds a binding.

use wasm_bindgen_test::wasm_bindgen_test;
use wgpu_clamp::{Clamp, DType, Layout, Operands, Plan, Tensor, View};

use crate::harness::{Gpu, Place, check, packed};
use crate::random::Random;
use crate::values::scalar_of;

fn clamp(dtype: DType) -> Clamp {
    Clamp::unbounded(dtype).with_bounds(scalar_of(dtype, 3.0), scalar_of(dtype, 90.0)).unwrap()
}

#[wasm_bindgen_test]
async fn layouts_of_every_kind() {
    let gpu = Gpu::open().await;
    let mut random = Random(11);
    let image = packed(&[31, 23, 5]);
    let padded = packed(&[31, 30, 9]).slice(1, 2..25).unwrap().slice(2, 4..9).unwrap();
    let cases = [
        (image, padded),
        (packed(&[5, 31, 23]).permute(&[1, 2, 0]).unwrap(), image),
        (packed(&[23, 1]).broadcast_to(&[31, 23, 5]).unwrap(), padded),
        (image.flip(0).unwrap().flip(2).unwrap(), padded.flip(1).unwrap()),
        (packed(&[70, 401]), packed(&[70, 416]).slice(1, 0..401).unwrap()),
        (packed(&[192, 160]).permute(&[1, 0]).unwrap(), packed(&[160, 192])),
        (Layout::strided(&[70, 208], &[1, 1], 3).unwrap(), packed(&[70, 208])),
        (packed(&[]), Layout::strided(&[], &[], 3).unwrap()),
    ];
    // One dtype of each size, since kernels depend on the size. The self-test has all dtypes.
    for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
        for (src_layout, dst_layout) in cases {
            let clamp = clamp(dtype);
            let src = random.bytes(src_layout.required_bytes(dtype) as usize);
            let dst = random.bytes(dst_layout.required_bytes(dtype) as usize);
            check(&gpu, &clamp, (&src_layout, &src), (&dst_layout, &dst), Place::Apart).await;
            check(&gpu, &clamp, (&dst_layout, &dst), (&dst_layout, &[]), Place::Same).await;
        }
    }
    gpu.close().await;
}

/// Two views of one buffer that share no element, near each other and interleaved.
#[wasm_bindgen_test]
async fn one_buffer() {
    let gpu = Gpu::open().await;
    let mut random = Random(13);
    for dtype in DType::ALL {
        let line = packed(&[2_000]);
        let (even, odd) = (line.step(0, 2).unwrap(), line.slice(0, 1..2_000).unwrap().step(0, 2).unwrap());
        let (front, back) = (line.slice(0, 0..999).unwrap(), line.slice(0, 999..1_998).unwrap());
        for (src, dst) in [(even, odd), (odd.flip(0).unwrap(), even), (front, back), (back, front)] {
            let bytes = random.bytes(line.required_bytes(dtype) as usize);
            check(&gpu, &clamp(dtype), (&src, &bytes), (&dst, &[]), Place::Same).await;
        }
    }
    gpu.close().await;
}

/// The tensor exceeds the largest binding of a device with default limits, so the plan has two windows.
#[wasm_bindgen_test]
async fn a_tensor_larger_than_a_binding() {
    let gpu = Gpu::open().await;
    let binding = gpu.device().limits().max_storage_buffer_binding_size as usize;
    let ends = Layout::strided(&[2, 7], &[(binding + 64).cast_signed(), 1], 5).unwrap();
    let len = ends.required_bytes(DType::U8) as usize;
    let clamp = Clamp::new(10_u8, 20);
    let plan = Plan::in_one_buffer(&clamp, &ends, &ends, gpu.host.clamper().limits()).unwrap();
    assert!(plan.to_string().contains("windows: 2"), "{plan}");

    let tensor = Tensor::zeros(&gpu.host, DType::U8, &[len]).unwrap();
    gpu.host.submit(&clamp, Operands::in_place(View::new(tensor.buffer(), tensor.dtype(), ends))).unwrap();
    let after = tensor.read::<u8>().await.unwrap();
    let (front, back) = (5..12, binding + 69..binding + 76);
    let right = |(at, &x): (usize, &u8)| x == if front.contains(&at) || back.contains(&at) { 10 } else { 0 };
    assert!(after.iter().enumerate().all(right));
    gpu.close().await;
}
