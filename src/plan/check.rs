//! What a plan has to be: held to brute force where a tensor is small, and to what can be said of any.

use rustc_hash::FxHashSet;

use super::interpreter::{self, Move};
use super::strategy::{Assignment, MAX_DISPATCHES};
use super::{Plan, Window};
use crate::kernel::Placement;
use crate::{Clamp, Clamps, DType, Error, Layout, Limits};

/// The most elements that are interpreted; squares of bytes begin at 64 by 64.
const MOST_INTERPRETED: usize = 6_000;

/// What a plan should do, in order.
pub(super) fn moves(clamps: Clamps<'_>, src: &Layout, dst: &Layout) -> Vec<Move<u64>> {
    let Some(clamp) = clamps.as_slice().first() else { return Vec::new() };
    let [from_size, to_size] = [clamp.source(), clamp.dtype()].map(|dtype| dtype.size() as u64);
    // The channel of each index: the address in a layout that has nothing but the axis.
    let mut strides = vec![0; dst.shape().len()];
    let several = clamps.simplified().as_slice().len() > 1;
    if let Some(axis) = clamps.axis().filter(|_| several) {
        strides[axis] = 1;
    }
    let channels = Layout::strided(dst.shape(), &strides, 0).expect("its addresses are indices");
    let places = src.addresses().zip(dst.addresses()).zip(channels.addresses());
    let one = |((from, to), channel)| Move {
        from: from as u64 * from_size,
        to: to as u64 * to_size,
        channel: channel as u32,
    };
    let mut moves: Vec<_> = places.map(one).collect();
    moves.sort_unstable();
    moves
}

/// What it does, in order.
pub(super) fn interpreted(plan: &Plan, adjacent: bool) -> Vec<Move<u64>> {
    let mut moves = interpreter::run(plan, adjacent);
    let (Some(task), Some(first)) = (plan.task, plan.strategy.assignments().next()) else { return moves };
    // Channels are the caller's, counted from the last one where dst runs downwards.
    if first.region.reversed_channels {
        for one in &mut moves {
            one.channel = task.channels as u32 - 1 - one.channel;
        }
    }
    moves.sort_unstable();
    moves
}

/// Bindings and grids that the device has.
///
/// # Panics
///
/// They are not.
pub(super) fn window(window: &Window, placement: Placement, limits: &Limits) {
    let (src, dst) = (window.bindings.src, window.bindings.dst);
    for range in [src, dst] {
        assert!(range.size > 0 && range.size <= limits.max_binding_size, "{range:?} for {limits:?}");
        assert!(range.offset.is_multiple_of(limits.binding_start()), "{range:?} for {limits:?}");
        assert!(range.size.is_multiple_of(4), "{range:?}");
    }
    match window.bindings.placement {
        Placement::TwoBuffers => assert_eq!(placement, Placement::TwoBuffers),
        Placement::OneBuffer => assert_eq!(src, dst),
        Placement::TwoRanges => {
            assert_eq!(placement, Placement::OneBuffer);
            let disjoint = src.offset + src.size <= dst.offset || dst.offset + dst.size <= src.offset;
            assert!(disjoint, "{src:?} and {dst:?} share words");
        }
    }
    for dispatch in window.dispatches() {
        let fits = |&n: &u32| n >= 1 && n <= limits.max_workgroups_per_dimension;
        assert!(dispatch.grid.iter().all(fits), "{dispatch:?} for {limits:?}");
    }
}

/// Makes a plan, and holds it or the error to what is right.
///
/// # Panics
///
/// One is not.
pub(crate) fn plan(
    clamps: Clamps<'_>,
    src: &Layout,
    dst: &Layout,
    placement: Placement,
    limits: Limits,
    adjacent: bool,
) {
    match Plan::with_placement(clamps, src, dst, placement, limits) {
        Ok(plan) => accepted(&plan, clamps, (src, dst), placement, &limits, adjacent),
        Err(error) => refused(&error, clamps, (src, dst), placement, &limits),
    }
}

fn accepted(
    plan: &Plan,
    clamps: Clamps<'_>,
    (src, dst): (&Layout, &Layout),
    placement: Placement,
    limits: &Limits,
    adjacent: bool,
) {
    assert_eq!(src.shape(), dst.shape());
    assert!(plan.window_count() <= MAX_DISPATCHES, "{plan}");
    assert!(!plan.to_string().is_empty() && !format!("{plan:?}").is_empty());
    let Some(clamp) = clamps.as_slice().first() else { return assert_eq!(plan.window_count(), 0) };
    assert!(plan.operators(clamps).is_some());
    if is_small(dst) {
        assert!(!shares_itself(dst), "{dst} overlaps itself");
        let in_place = src.same_addresses(dst) && clamp.source().size() == clamp.dtype().size();
        if placement == Placement::OneBuffer && !in_place {
            assert!(!share(clamp, src, dst), "{src} and {dst} share bytes");
        }
        assert_eq!(interpreted(plan, adjacent), moves(clamps, src, dst), "{plan:?}");
        plan.windows().for_each(|one| window(&one, placement, limits));
    }
    for assignment in plan.strategy.assignments() {
        let count = assignment.windows();
        assert!(count > 0);
        // Every one of a few, some of many.
        let some: FxHashSet<_> = if count <= 64 {
            (0..count).collect()
        } else {
            [0, 1, count / 2, count - 2, count - 1].into_iter().collect()
        };
        for &n in &some {
            let one = plan.window(assignment, n);
            window(&one, placement, limits);
            for dispatch in one.dispatches() {
                assert!(plan.pipeline(&one, dispatch.entry_point).is_some());
            }
            if !is_small(dst) && tile_len(assignment, n) <= MOST_INTERPRETED {
                let mut done = interpreter::run_window(plan, &one, adjacent);
                done.sort_unstable();
                assert_eq!(done, tile_moves(plan, assignment, n), "window {n} of {plan:?}");
            }
        }
        if some.len() == count {
            let total: usize = some.iter().map(|&n| tile_len(assignment, n)).sum();
            assert_eq!(total, assignment.region.len(), "{plan:?}");
        }
    }
    let regions = plan.strategy.assignments().map(|assignment| assignment.region.len());
    assert_eq!(regions.sum::<usize>(), dst.len(), "{plan:?}");
}

/// An error says what is wrong, and that is wrong.
fn refused(
    error: &Error,
    clamps: Clamps<'_>,
    (src, dst): (&Layout, &Layout),
    placement: Placement,
    limits: &Limits,
) {
    assert!(!error.to_string().is_empty());
    let clamp = || clamps.as_slice().first().expect("no channel is no error");
    let one_buffer = placement == Placement::OneBuffer;
    let right = match *error {
        Error::ShapeMismatch { .. } => src.shape() != dst.shape(),
        Error::Axis { axis, rank } => clamps.axis() == Some(axis) && axis >= dst.rank() && rank == dst.rank(),
        Error::ChannelCount { axis, extent, clamps: count } => {
            dst.shape()[axis] == extent && clamps.as_slice().len() == count && extent != count
        }
        Error::ChannelsDiffer { channel, .. } => clamps.as_slice()[channel] != clamps.as_slice()[0],
        Error::ChannelBoundOnGpu { channel, .. } => {
            let on_gpu = crate::Bound::OnGpu;
            let clamp = &clamps.as_slice()[channel];
            clamps.axis().is_some() && [clamp.min(), clamp.max()].contains(&on_gpu)
        }
        Error::OutputOverlap { .. } => !is_small(dst) || shares_itself(dst),
        // Overlap::Undecided is itself held to brute force.
        Error::OverlapUndecided { .. } => true,
        Error::AliasUndecided { .. } => one_buffer,
        Error::PartialAlias { .. } => {
            one_buffer && !src.same_addresses(dst) && (!is_small(dst) || share(clamp(), src, dst))
        }
        Error::InPlaceSizes { source_dtype, dtype } => {
            one_buffer && src.same_addresses(dst) && source_dtype.size() != dtype.size()
        }
        Error::TooLarge { .. } => {
            [(src, clamp().source()), (dst, clamp().dtype())].map(required).contains(&u64::MAX)
        }
        Error::TooManyWindows { windows, limit, .. } => {
            windows > limit && (!suffices(limits) || dst.len() > MAX_DISPATCHES / 3)
        }
        Error::DeviceLimit { limit_name, needed, limit } => {
            let [less, more] = [needed.min(limit), needed.max(limit)];
            let wanted = if limit_name.starts_with("min_") { less } else { more };
            less < more && needed == wanted && !suffices(limits)
        }
        _ => false,
    };
    assert!(right, "{error:?} for src {src}, dst {dst}, {placement}, {limits:?}");
}

fn required((layout, dtype): (&Layout, DType)) -> u64 {
    layout.required_bytes(dtype)
}

/// Whether the device has what `wgpu::Limits::downlevel_defaults()` promises.
fn suffices(limits: &Limits) -> bool {
    let least = Limits::default();
    limits.max_binding_size >= least.max_binding_size
        && limits.binding_alignment <= least.binding_alignment
        && limits.max_workgroups_per_dimension >= least.max_workgroups_per_dimension
}

fn is_small(layout: &Layout) -> bool {
    layout.len() <= MOST_INTERPRETED
}

fn shares_itself(layout: &Layout) -> bool {
    let mut seen = FxHashSet::default();
    !layout.addresses().all(|address| seen.insert(address))
}

/// Whether src and dst have a byte in common.
fn share(clamp: &Clamp, src: &Layout, dst: &Layout) -> bool {
    let bytes = |layout: &Layout, dtype: DType| {
        let size = dtype.size() as u128;
        layout.addresses().flat_map(move |address| (0..size).map(move |byte| address as u128 * size + byte))
    };
    let written: FxHashSet<_> = bytes(dst, clamp.dtype()).collect();
    bytes(src, clamp.source()).any(|byte| written.contains(&byte))
}

fn tile_len(assignment: &Assignment, n: usize) -> usize {
    assignment.tile(n).extents.iter().product()
}

/// What the `n`-th window of an assignment should do, in order; channels as the region counts them.
fn tile_moves(plan: &Plan, assignment: &Assignment, n: usize) -> Vec<Move<u64>> {
    let task = plan.task.expect("windows are of a task");
    let tile = assignment.tile(n);
    let mut places = vec![(tile.starts, tile.first_channel)];
    for (dim, extent) in assignment.region.dims().iter().zip(tile.extents) {
        let along = |(starts, channel): &([usize; 2], usize), i: usize| {
            let [src, dst] = *starts;
            let by = |stride: isize| stride.wrapping_mul(i.cast_signed());
            let moved = [src.wrapping_add_signed(by(dim.src)), dst.wrapping_add_signed(by(dim.dst))];
            (moved, channel + if dim.channels { i } else { 0 })
        };
        places = places.iter().flat_map(|place| (0..extent).map(move |i| along(place, i))).collect();
    }
    let sizes = task.arithmetic.sizes().map(|size| size as u64);
    let one = |([from, to], channel): ([usize; 2], usize)| Move {
        from: from as u64 * sizes[0],
        to: to as u64 * sizes[1],
        channel: channel as u32,
    };
    let mut moves: Vec<_> = places.into_iter().map(one).collect();
    moves.sort_unstable();
    moves
}
