//! Every dtype and pair of dtypes on every kernel, by the crate's own self-test.

use std::collections::HashSet;

use wgpu_clamp::{DType, SelfTestReport};

use crate::harness::{Gpu, exhaustive, gpus};

#[test]
fn every_pair_agrees_with_the_reference_on_every_kernel() {
    // Most of the time goes into compilation, which each device does on a thread of its own.
    std::thread::scope(|scope| {
        for gpu in gpus() {
            scope.spawn(move || meets_every_kernel(&run(gpu)));
        }
    });
}

fn run(gpu: &Gpu) -> SelfTestReport {
    let test = gpu.host.self_test();
    let mut calls = 0;
    let test = if exhaustive() { test.exhaustive() } else { test };
    let progress = |done, total| {
        calls += 1;
        assert!(done == calls && done <= total);
        if exhaustive() && done % 50 == 0 {
            println!("{done} of {total} on {}", gpu.name);
        }
    };
    let report = test.with_progress(progress).run_blocking().unwrap();
    assert!(report.passed(), "{report}");
    println!("{report}");
    assert_eq!(report.outcomes().len(), calls);
    report
}

/// 42 pairs and 12 dtypes, each on each route; each kernel takes some of them, with conversions too.
fn meets_every_kernel(report: &SelfTestReport) {
    let outcomes = report.outcomes();
    assert_eq!(outcomes.iter().map(|outcome| outcome.route).collect::<HashSet<_>>().len(), 15);
    for source in DType::ALL {
        for dtype in DType::ALL {
            let is_it = |clamp: &wgpu_clamp::Clamp| (clamp.source(), clamp.dtype()) == (source, dtype);
            let count = outcomes.iter().filter(|outcome| is_it(&outcome.clamp)).count();
            let converts = |dtype| DType::CONVERTIBLE.contains(&dtype);
            let offered = source == dtype || converts(source) && converts(dtype);
            assert_eq!(count >= 10, offered, "{source} {dtype}: {count}");
        }
    }
    // Elements of up to 32 bits meet the kernels that do not depend on their size, each pair by itself.
    for clamp in outcomes.iter().map(|outcome| outcome.clamp).filter(|clamp| clamp.source().size() <= 4) {
        let pair =
            |other: &wgpu_clamp::Clamp| (other.source(), other.dtype()) == (clamp.source(), clamp.dtype());
        for kernel in ["fill", "pixels"] {
            let mut of_pair = outcomes.iter().filter(|outcome| pair(&outcome.clamp));
            assert!(
                of_pair.any(|outcome| outcome.plan.contains(&format!(" {kernel} kernel"))),
                "{kernel} {clamp:?}"
            );
        }
    }
    for kernel in
        ["contiguous", "interleaved", "transposed", "spread", "pixels", "rows", "fill", "words", "strided"]
    {
        for converts in [false, true] {
            let named = format!(" {kernel} kernel");
            let mut of = outcomes.iter().filter(|outcome| outcome.clamp.converts() == converts);
            assert!(of.any(|outcome| outcome.plan.contains(&named)), "{kernel} {converts}");
        }
    }
}
