//! Every dtype and pair of dtypes on every kernel, by the crate's own self-test.

use std::collections::HashSet;
use std::ops::Range;

use wgpu_clamp::{Clamp, DType, Host, Lanes, Outcome, SelfTestReport};

use crate::harness::{Gpu, exhaustive, gpus};

#[test]
fn every_pair_agrees_with_the_reference_on_every_kernel() {
    // Most of the time goes into compilation, which each device does on a thread of its own.
    std::thread::scope(|scope| {
        for gpu in gpus() {
            scope.spawn(move || {
                let (report, all) = run(gpu);
                if all {
                    meets_every_kernel(&report, gpu.host.clamper().limits().lanes);
                }
            });
        }
    });
}

/// The report of one adapter, and whether it covers all cases.
fn run(gpu: &Gpu) -> (SelfTestReport, bool) {
    let test = gpu.host.self_test();
    let test = if exhaustive() { test.exhaustive() } else { test };
    let range = cases();
    let test = if let Some(range) = range.clone() { test.cases(range) } else { test };
    let (mut calls, mut wrong) = (0, 0);
    let progress = |done, total, outcome: &Outcome| {
        calls += 1;
        assert!(done == calls && done <= total);
        if !outcome.report.passed() {
            wrong += 1;
            println!("{outcome}");
        }
        if exhaustive() && done % 50 == 0 {
            println!("{done} of {total}, {wrong} wrong, on {}", gpu.name);
        }
    };
    let report = test.with_progress(progress).run_blocking().unwrap();
    assert!(report.passed(), "{report}");
    println!("{report}");
    assert_eq!(report.outcomes().len(), calls);
    assert!(calls > 0, "WGPU_CLAMP_CASES names no case");
    (report, range.is_none())
}

/// The part of a run that `WGPU_CLAMP_CASES` asks for, such as `2500..5000`.
fn cases() -> Option<Range<usize>> {
    let text = std::env::var("WGPU_CLAMP_CASES").ok()?;
    let (start, end) = text.split_once("..").expect("WGPU_CLAMP_CASES is a range, such as 2500..5000");
    Some(start.parse().unwrap()..end.parse().unwrap())
}

#[test]
fn a_range_of_the_cases_is_as_long_as_it_says() {
    let [gpu, ..] = gpus() else { unreachable!("there is an adapter") };
    let run = |range| {
        let mut totals = Vec::new();
        let progress = |done, total, _: &Outcome| totals.push((done, total));
        let report = gpu.host.self_test().cases(range).with_progress(progress).run_blocking().unwrap();
        assert!(report.passed(), "{report}");
        let plans: Vec<String> = report.outcomes().iter().map(|outcome| outcome.plan.clone()).collect();
        (plans, totals)
    };
    let (plans, totals) = run(3..6);
    assert_eq!(totals, [(1, 3), (2, 3), (3, 3)]);
    assert_eq!(run(4..5).0, plans[1..2]);
    let [three, six] = [3, 6];
    for nothing in [six..three, usize::MAX - 1..usize::MAX] {
        assert_eq!(run(nothing), (vec![], vec![]));
    }
}

/// Some cases with the blocks that this device would not get: a GPU's on a driver for CPUs, a CPU's on a GPU.
#[test]
fn blocks_for_other_lanes_are_right_too() {
    for gpu in gpus() {
        let lanes = match gpu.host.clamper().limits().lanes {
            Lanes::InStep => Lanes::InSequence,
            Lanes::InSequence => Lanes::InStep,
        };
        let host = Host::new(&gpu.host.clamper().clone().with_lanes(lanes), gpu.host.queue());
        let mut plans = HashSet::new();
        for start in (0..900).step_by(45) {
            let report = host.self_test().cases(start..start + 3).run_blocking().unwrap();
            assert!(report.passed(), "{report}");
            plans.extend(report.outcomes().iter().map(|outcome| outcome.plan.clone()));
        }
        let exchanged = plans.iter().filter(|plan| plan.contains("exchanged")).count();
        println!("{} plans, {exchanged} of them exchange packets, on {}", plans.len(), gpu.name);
        assert!(plans.len() > 50 && (exchanged > 0) == (lanes == Lanes::InStep), "{plans:#?}");
    }
}

/// Asserts that a report covers 19 routes, each of 72 pairs and 12 dtypes by 11 cases or more, and each kernel with and
/// without conversion.
fn meets_every_kernel(report: &SelfTestReport, lanes: Lanes) {
    let outcomes = report.outcomes();
    assert_eq!(outcomes.iter().map(|outcome| outcome.route).collect::<HashSet<_>>().len(), 19);
    let converts = |dtype| DType::CONVERTIBLE.contains(&dtype);
    for (source, dtype) in DType::ALL.into_iter().flat_map(|source| DType::ALL.map(|dtype| (source, dtype))) {
        let is_it = |clamp: &Clamp| (clamp.source(), clamp.dtype()) == (source, dtype);
        let of_pair: Vec<_> = outcomes.iter().filter(|outcome| is_it(&outcome.clamp)).collect();
        let offered = source == dtype || converts(source) && converts(dtype);
        assert_eq!(of_pair.len() >= 11, offered, "{source} {dtype}: {}", of_pair.len());
        // Sources of up to 32 bits meet the block kernel, also with strides of 0 in src and 1 in dst: "(0 to 1)". On a GPU,
        // blocks of words may take an element of each row instead.
        for kernel in ["block kernel", "(0 to 1)"] {
            let met = of_pair.iter().any(|outcome| outcome.plan.contains(kernel));
            let may_miss =
                source.size() > 4 || kernel == "(0 to 1)" && dtype.size() == 4 && lanes == Lanes::InStep;
            assert!(met || !offered || may_miss, "{kernel} {source} {dtype}");
        }
    }
    for kernel in ["block", "gather"] {
        for converts in [false, true] {
            let named = format!(" {kernel} kernel");
            let mut of = outcomes.iter().filter(|outcome| outcome.clamp.converts() == converts);
            assert!(of.any(|outcome| outcome.plan.contains(&named)), "{kernel} {converts}");
        }
    }
}
