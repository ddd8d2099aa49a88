//! A sample of the crate's own self-test, which `cargo xtask proof` runs whole: every dtype and pair of dtypes on every kernel.

use std::collections::HashSet;

use wgpu_clamp::{Clamp, DType, Host, Lanes, Outcome, Precision};

use crate::harness::{Gpu, gpus};

/// One case of so many. The number is prime: each route, step and placement comes again at other distances.
const EVERY: usize = 13;

/// Every second case of the sample has the blocks of the device, every other those that it would not get: a GPU's on a
/// driver for CPUs, a CPU's on a GPU.
#[test]
fn a_sample_meets_every_arithmetic_and_every_kernel() {
    // Most of the time goes into compilation, which each device does on a thread of its own.
    std::thread::scope(|scope| {
        for gpu in gpus() {
            scope.spawn(move || sample(gpu));
        }
    });
}

fn sample(gpu: &Gpu) {
    let own = gpu.clamper().limits().lanes;
    let other = match own {
        Lanes::InStep => Lanes::InSequence,
        Lanes::InSequence => Lanes::InStep,
    };
    let other = Host::new(&gpu.clamper().clone().with_lanes(other), gpu.host.queue());
    let hosts = [&gpu.host, &other];
    let mut outcomes = Vec::new();
    for (n, case) in (0..).step_by(EVERY).enumerate() {
        let _turn = gpu.turn();
        let report = hosts[n % 2].self_test().cases(case..case + 1).run_blocking().unwrap();
        assert!(report.passed(), "{report}");
        let [outcome] = report.outcomes() else { break };
        outcomes.push(outcome.clone());
    }
    println!("{} cases on {}", outcomes.len(), gpu.name);

    let met = |is_it: &dyn Fn(&Clamp, &str) -> bool| {
        outcomes.iter().any(|outcome| is_it(&outcome.clamp, &outcome.plan))
    };
    for dtype in DType::ALL {
        for step in [None, Some(Precision::Fast), Some(Precision::Exact)] {
            let steps = |clamp: &Clamp| clamp.scale().value().map(|_| clamp.precision()) == step;
            assert!(met(&|clamp, _| clamp.dtype() == dtype && steps(clamp)), "to {dtype}, {step:?}");
        }
        assert!(met(&|clamp, _| clamp.source() == dtype), "from {dtype}");
    }
    for words in ["block kernel", "gather kernel", ", in rows", "exchanged", "by words"] {
        for converts in [false, true] {
            let is_it = |clamp: &Clamp, plan: &str| clamp.converts() == converts && plan.contains(words);
            assert!(met(&is_it) || converts && words == ", in rows", "{words}, {converts}");
        }
    }
    let routes: HashSet<_> = outcomes.iter().map(|outcome| outcome.route).collect();
    assert_eq!(routes.len(), 19, "{routes:?}");
}

#[test]
fn a_range_of_the_cases_is_as_long_as_it_says() {
    let mut gpus = gpus();
    let gpu = gpus.next().unwrap();
    let run = |range| {
        let mut totals = Vec::new();
        let progress = |done, total, _: &Outcome| totals.push((done, total));
        let report = gpu.host.self_test().cases(range).with_progress(progress).run_blocking().unwrap();
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
