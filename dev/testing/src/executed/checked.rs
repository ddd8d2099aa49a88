//! Builds plans from any arguments, and checks the plan or the error.

use std::collections::HashSet;

use wgpu_clamp::{Clamp, Clamps, DType, Error, Layout, Limits, Number, Plan, Refusal};

use super::trial::{Execute, Trial, clamps_like, numbers, same_addresses, slots, telling, values};

/// The most elements that are executed or visited. Most layouts of `layouts::of_every_kind` have fewer.
const MOST_EXECUTED: usize = 20_000;

/// The most dispatches that are recorded.
const MOST_RECORDED: usize = 2_000;

/// The most windows of a plan, and the most dispatches.
const MAX_WINDOWS: usize = 65_536;

/// Words of an error that leaves open whether layouts overlap.
const UNDECIDED: &str = "could not decide";

/// Up to this many combinations of indices, the crate must decide whether layouts overlap.
const MUST_BE_DECIDED: usize = 20_000;

/// Plans a clamp in one buffer or two. Checks that bindings and grids fit the device, that bindings of one buffer share no
/// word, and that an error names a fault that exists. Executes small plans by `execute`, if it is there, and once more with
/// clamps that show where each element comes from.
pub fn check_plan(
    execute: Option<Execute<'_>>,
    clamps: Clamps<'_>,
    (src, dst): (&Layout, &Layout),
    one_buffer: bool,
    limits: Limits,
) {
    let Some(clamp) = clamps.as_slice().first() else {
        _ = Plan::new(clamps, src, dst, limits);
        return;
    };
    let value = values(clamp);
    let trial = Trial { clamps, src, dst, one_buffer, limits, value: &value, slots: &[] };
    let plan = match trial.plan() {
        Ok(plan) => plan,
        Err(error) => return refused(&error, &trial, clamp),
    };
    assert_eq!(src.shape(), dst.shape());
    assert!(!plan.to_string().is_empty() && !format!("{plan:?}").is_empty());
    let dispatches = plan.dispatches();
    assert_eq!(dispatches == 0, dst.is_empty(), "{plan}");
    assert!(dispatches <= MAX_WINDOWS, "{plan}");
    let execute = execute.filter(|_| is_small(dst));
    if execute.is_some() {
        assert!(!shares_itself(dst), "{dst} overlaps itself");
        assert!(!one_buffer || is_in_place(clamp, src, dst) || !share(clamp, src, dst), "{src} and {dst}");
    }
    let telling = telling(clamps);
    for clamps in [clamps, clamps_like(clamps, &telling)] {
        // The sanitizer has no `f64`, so F64 takes the exact step.
        let limits = limits.with(|limits| limits.f64_arithmetic = false);
        let slots = execute.map_or_else(Vec::new, |_| slots(clamps, dst.shape(), dst.len() as u64));
        let trial = Trial { clamps, limits, slots: &slots, ..trial };
        let Ok(plan) = trial.plan() else { continue };
        if plan.dispatches() > MOST_RECORDED {
            continue;
        }
        dispatches_fit(&plan, clamps, &limits);
        if let Some(execute) = execute {
            trial.run(execute).unwrap_or_else(|wrong| panic!("{wrong}"));
        }
    }
}

fn dispatches_fit(plan: &Plan, clamps: Clamps<'_>, limits: &Limits) {
    if clamps.as_slice().iter().any(has_slots) {
        return;
    }
    let recording = plan.recording(clamps, [None; 4]).unwrap();
    assert_eq!(recording.dispatches.len(), plan.dispatches(), "{plan}");
    for dispatch in &recording.dispatches {
        let fits = |&n: &u32| n >= 1 && n <= limits.max_workgroups_per_dimension;
        assert!(dispatch.grid.iter().all(fits), "{dispatch:?} for {limits:?}");
        let operands: Vec<_> = dispatch.bindings.iter().filter(|one| matches!(one.binding, 1 | 2)).collect();
        for one in &operands {
            assert!(one.size > 0 && one.size <= limits.max_binding_size, "{one:?} for {limits:?}");
            // The crate takes a power of two of at least a packet.
            let alignment = limits.binding_alignment.max(16).checked_next_power_of_two();
            assert!(alignment.is_none_or(|n| one.offset.is_multiple_of(n)), "{one:?} for {limits:?}");
            assert!(one.size.is_multiple_of(4), "{one:?}");
        }
        if let [a, b] = operands[..] {
            let apart = a.offset + a.size <= b.offset || b.offset + b.size <= a.offset;
            assert!(a.buffer != b.buffer || apart, "{a:?} and {b:?} share words");
        }
    }
}

fn has_slots(clamp: &Clamp) -> bool {
    numbers(clamp).contains(&Number::OnGpu)
}

fn is_in_place(clamp: &Clamp, src: &Layout, dst: &Layout) -> bool {
    same_addresses(src, dst) && clamp.source().size() == clamp.dtype().size()
}

/// Checks that the fault exists that an error names.
fn refused(error: &Error, trial: &Trial<'_>, clamp: &Clamp) {
    let Trial { clamps, src, dst, one_buffer, limits, .. } = *trial;
    let list = clamps.as_slice();
    let ends_far = |layout: &Layout, dtype: DType| layout.required_bytes(dtype) == u64::MAX;
    let agree = |one: &Clamp| {
        let of = |clamp: &Clamp| (clamp.source(), clamp.dtype(), clamp.order(), clamp.precision());
        of(one) == of(clamp) && one.nan_rule() == clamp.nan_rule() && one.rounding() == clamp.rounding()
    };
    let right = match error {
        Error::Argument(Refusal { argument: "src", .. }) => ends_far(src, clamp.source()),
        Error::Argument(Refusal { argument: "dst", .. }) => {
            src.shape() != dst.shape() || ends_far(dst, clamp.dtype())
        }
        Error::Argument(Refusal { argument: "axis", .. }) => {
            clamps.axis().is_some_and(|axis| axis >= dst.rank())
        }
        Error::Argument(Refusal { argument: "clamps", .. }) => {
            let extent = dst.shape()[clamps.axis().expect("one clamp suits every shape")];
            list.len() != extent || !list.iter().all(agree) || list.iter().any(has_slots)
        }
        Error::Overlap(Refusal { argument: "dst", value, .. }) => {
            let decided = !value.contains(UNDECIDED) || combinations(dst) <= MUST_BE_DECIDED;
            !decided || !is_small(dst) || shares_itself(dst)
        }
        Error::Overlap(Refusal { argument: "src, dst", value, .. }) => {
            // No buffer holds bytes beyond 2^63, so the crate may leave such layouts undecided.
            let far = [src, dst].iter().any(|one| one.required_bytes(DType::F64) > 1 << 63);
            let pairs = src.len().saturating_mul(dst.len()).saturating_mul(8);
            let decided = !value.contains(UNDECIDED) || !far && pairs <= MUST_BE_DECIDED;
            let shared = !decided || !is_small(dst) || share(clamp, src, dst);
            one_buffer && !is_in_place(clamp, src, dst) && shared
        }
        Error::Limit { limit_name: "max_windows", needed, limit, .. } => {
            needed > limit && (!suffices(&limits) || dst.len() > MAX_WINDOWS / 3)
        }
        Error::Limit { argument: "device", limit_name, needed, limit, .. } => {
            let [less, more] = [needed.min(limit), needed.max(limit)];
            let wanted = if limit_name.starts_with("min_") { less } else { more };
            less < more && needed == wanted && !suffices(&limits)
        }
        // A table of channels.
        Error::Limit { argument: "clamps" | "axis", needed, limit, .. } => {
            needed > limit && clamps.axis().is_some_and(|axis| dst.shape()[axis] > 1)
        }
        _ => false,
    };
    assert!(right, "{error:?}\n{trial}");
}

/// The combinations of indices that may share an element of a layout.
fn combinations(layout: &Layout) -> usize {
    layout.shape().iter().fold(1, |n: usize, extent| n.saturating_mul(extent.saturating_mul(2)))
}

/// Whether the device has at least `wgpu::Limits::downlevel_defaults()`.
fn suffices(limits: &Limits) -> bool {
    let least = Limits::default();
    limits.max_binding_size >= least.max_binding_size
        && limits.binding_alignment <= least.binding_alignment
        && limits.max_workgroups_per_dimension >= least.max_workgroups_per_dimension
}

fn is_small(layout: &Layout) -> bool {
    layout.len() <= MOST_EXECUTED
}

fn shares_itself(layout: &Layout) -> bool {
    let mut seen = HashSet::new();
    !layout.addresses().all(|address| seen.insert(address))
}

/// Whether src and dst share a byte.
fn share(clamp: &Clamp, src: &Layout, dst: &Layout) -> bool {
    let bytes = |layout: &Layout, dtype: DType| {
        let size = dtype.size() as u128;
        layout.addresses().flat_map(move |address| (0..size).map(move |byte| address as u128 * size + byte))
    };
    let written: HashSet<_> = bytes(dst, clamp.dtype()).collect();
    bytes(src, clamp.source()).any(|byte| written.contains(&byte))
}
