//! Every dtype and pair of dtypes on every kernel, by the crate's own self-test.

use wgpu_clamp::DType;

use crate::harness::{exhaustive, gpus};

#[test]
fn every_pair_agrees_with_the_reference_on_every_kernel() {
    for gpu in gpus() {
        let test = gpu.host.self_test();
        let mut calls = 0;
        let test = if exhaustive() { test.exhaustive() } else { test };
        let report = test
            .with_progress(|done, total| {
                calls += 1;
                assert!(done == calls && done <= total);
            })
            .run_blocking()
            .unwrap();
        assert!(report.passed(), "{report}");
        println!("{report}");
        assert_eq!(report.outcomes().len(), calls);

        // 42 pairs and 12 dtypes, each on each route; each kernel takes some of them, with conversions too where it can.
        let routes =
            report.outcomes().iter().map(|outcome| outcome.route).collect::<std::collections::HashSet<_>>();
        assert_eq!(routes.len(), 11);
        for source in DType::ALL {
            for dtype in DType::ALL {
                let of_pair = report.outcomes().iter();
                let of_pair = of_pair
                    .filter(|outcome| (outcome.clamp.source(), outcome.clamp.dtype()) == (source, dtype));
                let converts = |dtype| DType::CONVERTIBLE.contains(&dtype);
                let offered = source == dtype || converts(source) && converts(dtype);
                assert_eq!(of_pair.count() >= 10, offered, "{source} {dtype}");
            }
        }
        for kernel in ["contiguous", "transposed", "spread", "pixels", "rows", "fill", "words", "strided"] {
            let taken = |converts: bool| {
                let mut of = report.outcomes().iter().filter(|outcome| outcome.clamp.converts() == converts);
                of.any(|outcome| outcome.plan.contains(&format!(" {kernel} kernel")))
            };
            assert!(taken(false) && taken(true), "{kernel}");
        }
    }
}
