//! Some cases of `Host::self_test`. `cargo xtask proof` runs all cases, which takes minutes.

use wasm_bindgen_test::wasm_bindgen_test;

use crate::harness::Gpu;

#[wasm_bindgen_test]
async fn some_cases_agree_with_the_reference() {
    let gpu = Gpu::open().await;
    for cases in [0..5, 300..305, 600..605] {
        let mut done = 0;
        let test = gpu
            .host
            .self_test()
            .cases(cases)
            .with_progress(|now, total, _| done += usize::from(now <= total));
        let report = test.run().await.unwrap();
        assert!(report.passed() && report.outcomes().len() == 5, "{report}");
        assert_eq!(done, 5);
    }
    gpu.close().await;
}
