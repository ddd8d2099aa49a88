//! The example `quantize`: a quantised linear layer whose scales never leave the GPU.

use wasm_bindgen_test::wasm_bindgen_test;

use crate::harness::Gpu;
use crate::quantize;

#[wasm_bindgen_test]
async fn the_quantised_layer_of_the_example() {
    let gpu = Gpu::open().await;
    quantize::run(&gpu.host).await.unwrap();
    gpu.close().await;
}
