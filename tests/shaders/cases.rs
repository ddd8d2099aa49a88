//! Runs the self-test's cases and the samples without a device: the sanitizer executes their shaders as each of its devices
//! would.
//!
//! With `WGPU_CLAMP_EXHAUSTIVE`, all cases of the exhaustive self-test and all samples run, each case with the [`Limits`]
//! of a GPU and of a CPU. Otherwise one in [`SHARE`] of the ordinary cases and of the samples runs; `cargo xtask mutants`
//! executes them all.

use std::collections::HashSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use clamp_testing::executed::samples::{Sample, on_cpu, samples, size};
use clamp_testing::executed::trial;
use clamp_testing::executed::{Count, Execute, Run, converts_f16, in_parallel, probe_accepts};
use clamp_testing::harness::exhaustive;
use clamp_testing::numbers::mix;
use wgpu_clamp::Limits;
use wgpu_clamp::self_test::Case;

/// The counts over all runs.
#[derive(Default)]
struct Total {
    runs: usize,
    count: Count,
    /// Hashes of shaders with their constants.
    pipelines: HashSet<u64>,
    wrong: Vec<String>,
}

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, count, pipelines, wrong } = self;
        let Count { elements, compared, dispatches, devices } = count;
        write!(
            f,
            "{runs} runs of cases, {elements} elements, {} pipelines, on up to {devices} devices: {compared} elements of \
             {dispatches} dispatches compared; {} runs are wrong",
            pipelines.len(),
            wrong.len()
        )
    }
}

/// An ordinary run takes one in so many cases and samples.
const SHARE: u64 = 10;

/// Whether this run takes a case or sample.
fn is_taken(n: usize) -> bool {
    exhaustive() || mix(!(n as u64)).is_multiple_of(SHARE)
}

/// Hashes of a run's shaders with their constants.
fn pipelines(run: &Run) -> impl Iterator<Item = u64> {
    run.recording.shaders.iter().map(|shader| {
        let mut hasher = DefaultHasher::new();
        (&shader.wgsl, shader.entry_point, format!("{:?}", shader.constants)).hash(&mut hasher);
        hasher.finish()
    })
}

/// Calls `run` with each number below `runs`, in parallel. Each call executes its dispatches by the given [`Execute`].
fn assert_right(runs: usize, run: impl Fn(usize, Execute<'_>) -> Result<Count, String> + Sync) {
    let (started, total) = (Instant::now(), Mutex::new(Total::default()));
    let lock = || total.lock().unwrap_or_else(PoisonError::into_inner);
    in_parallel(runs, |n| {
        let count = run(n, &|run| {
            lock().pipelines.extend(pipelines(run));
            run.execute()
        });
        let mut total = lock();
        total.runs += 1;
        match count {
            Ok(count) if count.elements > 0 => total.count.add(count),
            Ok(_) => total.wrong.push(format!("run {n} has no element")),
            Err(wrong) => total.wrong.push(format!("run {n}: {wrong}")),
        }
        if total.runs.is_multiple_of(100) {
            println!("{} of {runs} after {} s", *total, started.elapsed().as_secs());
        }
    });
    let total = lock();
    println!("{} after {} s", *total, started.elapsed().as_secs());
    assert_eq!(total.runs, runs);
    assert!(total.wrong.is_empty(), "{}", total.wrong.join("\n\n"));
}

#[test]
fn every_case_is_right_on_every_device() {
    let cases = Case::all(exhaustive());
    let both = (0..cases.len()).filter(|n| is_taken(*n)).flat_map(|n| [(n, false), (n, true)]);
    let runs: Vec<_> = both.filter(|(n, cpu)| exhaustive() || on_cpu(*n) == *cpu).collect();
    assert_right(runs.len(), |run, execute| {
        let (n, cpu) = runs[run];
        Sample::of_case(&cases[n], n, cpu).execute(execute)
    });
}

#[test]
fn every_sample_is_right_on_every_device() {
    let samples = samples();
    let taken: Vec<_> = (0..samples.len()).filter(|n| is_taken(*n)).collect();
    assert_right(taken.len(), |n, execute| samples[taken[n]].execute(execute));
}

/// The probe of `Host::check_f16` refuses every device that rounds F16 otherwise or flushes its subnormals, and no other. An
/// ordinary run takes one in 16 of its workgroups: all positive subnormals, and small normal numbers.
#[test]
fn the_probe_refuses_the_devices_whose_conversions_are_wrong() {
    let groups = if exhaustive() { 256 } else { 16 };
    let (mut met, mut found) = (HashSet::new(), [0; 2]);
    for device in wgsl_sanitizer::Device::all() {
        if met.insert((device.subnormals, device.tiny_before_rounding, device.halves)) {
            let accepted = probe_accepts(device, groups);
            assert_eq!(accepted, converts_f16(device), "{device}");
            found[usize::from(accepted)] += 1;
        }
    }
    assert!(found.iter().all(|count| *count > 0), "{found:?}");
}

/// The small sizes reach every entry point that large sizes reach, with the constants that depend on layouts.
#[test]
fn small_cases_take_the_entry_points_of_large_ones() {
    const OF_CLAMPS: [&str; 2] = ["ZERO_WITHIN", "KEEPS_INFINITY"];
    let entry_points = |size: fn(usize) -> usize| {
        let mut met = HashSet::new();
        for (n, case) in Case::all(false).iter().enumerate() {
            let (src, dst) = case.layouts(size(n)).unwrap();
            for cpu in [false, true] {
                let limits = Limits::default().with(|limits| limits.cpu = cpu);
                let plan = trial::plan(case.clamps(), (&src, &dst), case.in_one_buffer(), limits).unwrap();
                met.extend(plan.shaders().into_iter().map(|mut one| {
                    one.constants.retain(|(name, _)| !OF_CLAMPS.contains(name));
                    (one.entry_point, format!("{:?}", one.constants))
                }));
            }
        }
        met
    };
    let (small, large) = (entry_points(size), entry_points(|n| 20_000 + n % 32));
    let missed: Vec<_> = large.difference(&small).collect();
    println!("{} entry points, {} of large ones", small.len(), large.len());
    assert!(missed.is_empty(), "{missed:#?}");
}
