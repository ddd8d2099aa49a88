//! The example `quantize`: a quantised linear layer whose scales never leave the GPU.

use wasm_bindgen_test::wasm_bindgen_test;

use crate::harness::Gpu;
use crate::quantize::Layer;

#[wasm_bindgen_test]
async fn the_quantised_layer_of_the_example() {
    let gpu = Gpu::open().await;
    let report = Layer::new(&gpu.host).unwrap().run(&gpu.host).await.unwrap();
    assert!(report.passed(), "{report}");
    gpu.close().await;
}
