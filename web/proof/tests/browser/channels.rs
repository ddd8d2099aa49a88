//! One clamp for each index of an axis.

use wasm_bindgen_test::wasm_bindgen_test;
use wgpu_clamp::{Clamp, Clamps, DType, Layout, Precision};

use crate::harness::{Gpu, Place, check, packed};
use crate::random::Random;

/// `count` clamps from bytes to F16 that all differ.
fn clamps(count: u16) -> Vec<Clamp> {
    let one = |n: u16| {
        let n = f32::from(n);
        let clamp = Clamp::new(half::f16::from_f32(-0.5), half::f16::from_f32(2.0 + n / 8.0));
        let clamp = clamp.with_source(DType::U8).unwrap().with_precision(Precision::Exact);
        clamp.with_affine(1.0 / (40.0 + n), -0.125 * n).unwrap()
    };
    (0..count).map(one).collect()
}

/// Few channels lie in the uniform block, many in a storage buffer.
#[wasm_bindgen_test]
async fn planes_and_pixels_of_few_and_many_channels() {
    let gpu = Gpu::open().await;
    let mut random = Random(7);
    for channels in [1, 3, 4, 33, 200] {
        let clamps = clamps(channels);
        let channels = clamps.len();
        let planes = packed(&[channels, 13, 37]);
        let pixels = packed(&[13, 37, channels]);
        let cases: [(usize, Layout, Layout); 4] = [
            (0, planes, planes),
            (2, pixels, pixels),
            (0, pixels.permute(&[2, 0, 1]).unwrap(), planes),
            (2, planes.permute(&[1, 2, 0]).unwrap(), pixels),
        ];
        for (axis, src_layout, dst_layout) in cases {
            let src = random.bytes(src_layout.required_bytes(DType::U8) as usize);
            let dst = random.bytes(dst_layout.required_bytes(DType::F16) as usize);
            let clamps = Clamps::along(axis, &clamps);
            check(&gpu, clamps, (&src_layout, &src), (&dst_layout, &dst), Place::Apart).await;
        }
    }
    gpu.close().await;
}
