//! Bounds that lie on the GPU.

use wasm_bindgen_test::wasm_bindgen_test;
use wgpu_clamp::{Clamp, DType, Layout, Number, Operands, View, verify};

use crate::harness::{Gpu, buffer};
use crate::random::to_bytes;
use crate::values::{bits_of, edges, scalar, with_precisions};

/// The bounds lie in a buffer of their own, in the source's buffer, and between the elements of an in-place output.
#[wasm_bindgen_test]
async fn bounds_on_the_gpu() {
    let gpu = Gpu::open().await;
    for dtype in DType::ALL {
        let bits = [bits_of(dtype, 3.0), bits_of(dtype, 90.0)];
        let elements = edges(dtype);
        let n = elements.len();
        for clamp in with_precisions(Clamp::unbounded(dtype), (0.75, 2.5)) {
            let value = clamp.with_bounds(scalar(dtype, bits[0]), scalar(dtype, bits[1])).unwrap();
            let on_gpu = clamp.with_bounds(Number::OnGpu, Number::OnGpu).unwrap();
            // Every second element; the bounds lie in the gaps.
            let layout = Layout::strided(&[n], &[2], 0).unwrap();
            let mut data = vec![0x3c; 2 * n];
            elements.iter().enumerate().for_each(|(i, &x)| data[2 * i] = x);
            (data[1], data[2 * n - 1]) = (bits[0], bits[1]);
            let bytes = to_bytes(dtype, &data);

            for place in ["apart", "with src", "in place"] {
                let src = buffer(&gpu, &bytes);
                let dst = if place == "in place" { src.clone() } else { buffer(&gpu, &bytes) };
                let slots = if place == "apart" { buffer(&gpu, &bytes) } else { src.clone() };
                let slot = |offset| View::new(slots.buffer(), dtype, Layout::packed_at(&[], offset).unwrap());
                let operands = Operands::new(
                    View::new(src.buffer(), dtype, layout),
                    View::new(dst.buffer(), dtype, layout),
                )
                .with_min(slot(1))
                .with_max(slot(2 * n - 1));
                gpu.host.submit(&on_gpu, operands).unwrap();
                let after = dst.read_bytes().await.unwrap();
                let report = verify::check(
                    &value,
                    verify::Buffers {
                        src_layout: &layout,
                        src: &bytes,
                        dst_layout: &layout,
                        dst_before: &bytes,
                        dst_after: &after,
                    },
                )
                .unwrap();
                assert!(report.passed(), "{report}\n{value:?} {place}");
            }
        }
    }
    gpu.close().await;
}
