//! Every dtype and every pair of dtypes, with the affine step and without.

use wasm_bindgen_test::wasm_bindgen_test;
use wgpu_clamp::{Clamp, DType, NanRule, Precision, Rounding};

use crate::harness::{Gpu, Place, check, packed};
use crate::random::to_bytes;
use crate::values::{affine_pairs, edges, elements, mask, plain_clamps, scalar_of, with_precisions};

/// Every `step`-th clamp. Different dtypes start at different clamps, so that together they take all.
fn some(clamps: impl IntoIterator<Item = Clamp>, first: usize, step: usize) -> impl Iterator<Item = Clamp> {
    clamps.into_iter().skip(first % step).step_by(step)
}

async fn check_line(gpu: &Gpu, clamp: &Clamp, elements: &[u64]) {
    let line = packed(&[elements.len()]);
    let src = to_bytes(clamp.source(), elements);
    let dst = vec![0xa5; line.required_bytes(clamp.dtype()) as usize];
    check(gpu, clamp, (&line, &src), (&line, &dst), Place::Apart).await;
}

#[wasm_bindgen_test]
async fn every_dtype_without_an_affine_step() {
    let gpu = Gpu::open().await;
    for (n, dtype) in DType::ALL.into_iter().enumerate() {
        for clamp in some(plain_clamps(dtype), n, 7) {
            check_line(&gpu, &clamp, &elements(&clamp, 5_000, 3)).await;
        }
    }
    gpu.close().await;
}

#[wasm_bindgen_test]
async fn every_dtype_with_an_affine_step() {
    let gpu = Gpu::open().await;
    for (n, dtype) in DType::ALL.into_iter().enumerate() {
        let unbounded = Clamp::unbounded(dtype);
        let bounded = unbounded.with_bounds(scalar_of(dtype, 3.0), scalar_of(dtype, 90.0)).unwrap();
        let clamps = affine_pairs(dtype)
            .into_iter()
            .enumerate()
            .flat_map(|(n, pair)| with_precisions(if n % 3 == 0 { bounded } else { unbounded }, pair));
        for clamp in some(clamps, n, 5) {
            check_line(&gpu, &clamp, &elements(&clamp, 5_000, 5)).await;
        }
    }
    gpu.close().await;
}

#[wasm_bindgen_test]
async fn every_conversion() {
    let gpu = Gpu::open().await;
    let rules = [NanRule::Propagate, NanRule::ToMin, NanRule::ToMax];
    for (n, source) in DType::CONVERTIBLE.into_iter().enumerate() {
        let elements = if source.bits() <= 16 { (0..=mask(source)).collect() } else { edges(source) };
        for (m, dtype) in DType::CONVERTIBLE.into_iter().enumerate() {
            let plain = Clamp::unbounded(dtype).with_source(source).unwrap();
            let plain = plain.with_bounds(scalar_of(dtype, 3.0), scalar_of(dtype, 90.0)).unwrap();
            let plain = plain.with_nan_rule(rules[(n + m) % 3]);
            let rounding = [Rounding::TowardZero, Rounding::NearestEven][(n + m) % 2];
            let affine = plain.with_affine(0.37, -2.5).unwrap().with_rounding(rounding);
            check_line(&gpu, &plain, &elements).await;
            for precision in [Precision::Fast, Precision::Exact] {
                check_line(&gpu, &affine.with_precision(precision), &elements).await;
            }
        }
    }
    gpu.close().await;
}
