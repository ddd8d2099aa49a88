//! The self-test's cases without a device: their shaders run on each of the sanitizer's devices.
//!
//! `WGPU_CLAMP_EXHAUSTIVE` takes all cases of the exhaustive self-test, each with `ADJACENT` true and false. Otherwise
//! the ordinary cases run, each with one of the two.

use std::collections::HashSet;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use std::{fmt, thread};

use super::sampled::samples;
use super::{Case, cases, elements, on_gpu};
use crate::fuzz::execute::execute;
use crate::plan::check::{Count, Execute, Trial, mix};
use crate::shader::PipelineName;
use crate::{Clamp, Clamps, Limits};

/// The elements of the `case`-th case; a route may take more. The sizes differ in the elements left after the last whole
/// unit or packet. Only large sizes leave many elements beside blocks.
const fn size(case: usize) -> usize {
    let size = if case.is_multiple_of(8) { 16_000 } else { 1_100 };
    size + case * 13 % 512
}

/// The counts over all runs.
#[derive(Default)]
struct Total {
    runs: usize,
    count: Count,
    pipelines: Pipelines,
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

/// The pipelines of a case, and whether an invocation took adjacent packets.
type Pipelines = HashSet<(PipelineName, bool)>;

impl Case {
    /// Executes the `n`-th case on some of the elements that a device takes; the choice depends on `n`.
    pub(super) fn execute(
        &self,
        n: usize,
        adjacent: bool,
        execute: Execute<'_>,
    ) -> (Pipelines, Result<Count, String>) {
        let [clamp, ..] = self.clamps;
        let (src, dst) = self.placed(size(n)).expect("a layout of a few elements");
        let on_gpu = on_gpu(&clamp).expect("each dtype has such numbers");
        let is_on_gpu = self.route.has_slots();
        let clamps = match self.route.channels() {
            Some((axis, _)) if is_on_gpu => Clamps::slots_along(axis, &on_gpu),
            _ if is_on_gpu => (&on_gpu).into(),
            _ => self.clamps(),
        };
        let bits = self.clamps().as_slice().iter().map(Clamp::numbers);
        let slots: Vec<_> = bits.map(|all| all.map(|(_, number)| number.bits().unwrap_or(0))).collect();
        let slots = &slots[..if is_on_gpu { slots.len() } else { 1 }];
        let plan = self.plan(clamps, &src, &dst, Limits::default()).expect("a plan of a few elements");
        let values = elements(clamp.source(), 4_000);
        let seed = (n as u64) << 32;
        let value = |address| values[mix(address ^ seed) as usize % values.len()];
        let (src, dst) = (&src, &dst);
        let trial = Trial { execute, plan: &plan, clamps, src, dst, adjacent, value: &value, slots };
        let count = catch_unwind(AssertUnwindSafe(|| trial.all()));
        let count = count.unwrap_or_else(|_| Err(format!("panicked: {trial}")));
        let count =
            count.map_err(|wrong| format!("case {n}, {}, {:?}: {wrong}", self.route.name(), self.place));
        let pipelines = plan.windows().flat_map(|window| {
            let names = window.dispatches().filter_map(|one| plan.pipeline(&window, one.entry_point));
            names.collect::<Vec<_>>()
        });
        (pipelines.map(|name| (name, adjacent)).collect(), count)
    }
}

/// A case with its number, and whether an invocation takes adjacent packets.
type Task<'a> = (usize, &'a Case, bool);

/// Whether an invocation of this case takes adjacent packets in an ordinary run, as on a CPU.
pub(super) fn is_adjacent(case: usize) -> bool {
    mix(case as u64).is_multiple_of(2)
}

fn tasks(cases: &[Case], exhaustive: bool) -> Vec<Task<'_>> {
    let both = cases.iter().enumerate().flat_map(|(n, case)| [(n, case, false), (n, case, true)]);
    both.filter(|(n, _, adjacent)| exhaustive || is_adjacent(*n) == *adjacent).collect()
}

/// Calls `work` with each number below `count`, in one thread per processor.
pub(super) fn in_parallel(count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                while let Some(n) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < count) {
                    work(n);
                }
            });
        }
    });
}

#[test]
fn every_case_is_right_on_every_device() {
    let exhaustive = std::env::var_os("WGPU_CLAMP_EXHAUSTIVE").is_some();
    let cases = cases(exhaustive);
    let tasks = tasks(&cases, exhaustive);
    let (started, total) = (Instant::now(), Mutex::new(Total::default()));
    in_parallel(tasks.len(), |task| {
        let (n, case, adjacent) = tasks[task];
        let (pipelines, count) = case.execute(n, adjacent, &execute);
        let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
        total.runs += 1;
        total.pipelines.extend(pipelines);
        match count {
            Ok(count) => {
                assert!(count.elements > 0, "case {n} has no element");
                total.count.add(count);
            }
            Err(wrong) => total.wrong.push(wrong),
        }
        if total.runs.is_multiple_of(100) {
            println!("{total} of {} after {} s", tasks.len(), started.elapsed().as_secs());
        }
    });
    let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{total} after {} s", started.elapsed().as_secs());
    assert_eq!(total.runs, tasks.len());
    assert!(total.wrong.is_empty(), "{}", total.wrong.join("\n\n"));
}

#[test]
fn every_sample_is_right_on_every_device() {
    let samples = samples();
    let (started, total) = (Instant::now(), Mutex::new(Total::default()));
    in_parallel(samples.len(), |n| {
        let count = samples[n].execute(&execute);
        let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
        total.runs += 1;
        match count {
            Ok(count) => total.count.add(count),
            Err(wrong) => total.wrong.push(wrong),
        }
    });
    let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{total} after {} s", started.elapsed().as_secs());
    assert!(total.wrong.is_empty(), "{}", total.wrong.join("\n\n"));
}

/// The small sizes reach every entry point that large sizes reach.
#[test]
fn small_cases_take_the_entry_points_of_large_ones() {
    let entry_points = |size: fn(usize) -> usize| {
        let mut met = HashSet::new();
        for (n, case) in cases(true).iter().enumerate() {
            let (src, dst) = case.placed(size(n)).unwrap();
            let plan = case.plan(case.clamps(), &src, &dst, Limits::default()).unwrap();
            for window in plan.windows() {
                met.extend(window.dispatches().map(|dispatch| dispatch.entry_point));
            }
        }
        met
    };
    let (small, large) = (entry_points(size), entry_points(|n| 20_000 + n % 32));
    let missed: Vec<_> = large.difference(&small).collect();
    println!("{} entry points, {} of large ones", small.len(), large.len());
    assert!(missed.is_empty(), "{missed:#?}");
}
