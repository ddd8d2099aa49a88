//! A sample of the crate's own self-test, which `cargo xtask proof` runs whole: every dtype and pair of dtypes on every kernel.

use std::collections::HashSet;

use wgpu_clamp::self_test::Outcome;
use wgpu_clamp::{Clamp, DType, Host, Precision};

use crate::harness::{Gpu, gpus};

/// One case of so many. The number is prime: each route, step and placement comes again at other distances.
const EVERY: usize = 17;

const STEPS: [Option<Precision>; 3] = [None, Some(Precision::Fast), Some(Precision::Exact)];

/// Half of the cases have plans that the device would not get: a GPU's on a driver for CPUs, a CPU's on a GPU.
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
    // Of the sample, even cases are planned for a GPU, odd ones for a CPU.
    let hosts = [false, true].map(|cpu| Host::new(&gpu.clamper().clone().with_cpu(cpu), gpu.host.queue()));
    let run = |case: usize, cpu: bool| {
        let _turn = gpu.turn();
        let report = hosts[usize::from(cpu)].self_test().with_cases(case..case + 1).run_blocking().unwrap();
        assert!(report.passed(), "{report}");
        report.outcomes().first().cloned()
    };
    let mut outcomes: Vec<(usize, Outcome)> =
        (0..).step_by(EVERY).map_while(|case| Some((case, run(case, case % 2 == 1)?))).collect();
    let meets = |outcomes: &[(usize, Outcome)], dtype, step| {
        let step_of = |clamp: &Clamp| clamp.scale().value().map(|_| clamp.precision());
        let clamps = outcomes.iter().map(|(_, outcome)| outcome.clamp);
        clamps.into_iter().any(|clamp| clamp.dtype() == dtype && step_of(&clamp) == step)
    };
    for &dtype in DType::ALL {
        let of_dtype = |(case, outcome): &(usize, Outcome)| (outcome.clamp.dtype() == dtype).then_some(*case);
        let met = outcomes.iter().find_map(of_dtype).expect("each dtype has more cases than the distance");
        for step in STEPS {
            // A dtype that converts to no other has few cases, which lie together.
            let mut near = met + 1..met + EVERY;
            while !meets(&outcomes, dtype, step) {
                let case = near.next().unwrap_or_else(|| panic!("to {dtype}, {step:?}"));
                outcomes.push((case, run(case, case % 2 == 1).unwrap()));
            }
        }
        assert!(outcomes.iter().any(|(_, outcome)| outcome.clamp.source() == dtype), "from {dtype}");
    }
    // Kernels that the sample has missed are met by the next cases, half way between those of the sample, planned for a GPU.
    let mut more = (EVERY / 2..).step_by(EVERY);
    for words in ["stream kernel", "(any to", "boxes kernel", "in squares", "exchanged", "words kernel"] {
        while !outcomes.iter().any(|(_, outcome)| outcome.plan.contains(words)) {
            let case = more.next().unwrap();
            outcomes.push((case, run(case, false).unwrap_or_else(|| panic!("no case has {words:?}"))));
        }
    }
    println!("{} cases on {}", outcomes.len(), gpu.name);
    let routes: HashSet<_> = outcomes.iter().map(|(_, outcome)| outcome.route).collect();
    assert!(routes.len() > 15, "{routes:?}");
}

#[test]
fn a_range_of_the_cases_is_as_long_as_it_says() {
    let mut gpus = gpus();
    let gpu = gpus.next().unwrap();
    let run = |range| {
        let mut totals = Vec::new();
        let progress = |done, total, _: &Outcome| totals.push((done, total));
        let report = gpu.host.self_test().with_cases(range).with_progress(progress).run_blocking().unwrap();
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
