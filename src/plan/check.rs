//! Checks plans. Executes their dispatches and compares the results with the reference. Checks all windows of small
//! tensors by brute force, and general properties of windows for all tensors.

use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashSet;

use super::execution::{Buffer, Place, Recording};
use super::strategy::{Assignment, MAX_DISPATCHES};
use super::verdict::Verdict;
use super::{Plan, Window};
use crate::arithmetic::NUMBERS;
use crate::kernel::region::{DST, SRC};
use crate::kernel::{PACKET, Placement};
use crate::self_test::{self, Found};
use crate::shader::Module;
use crate::{Clamp, Clamps, DType, Error, Layout, Limits, Number, Refusal, Scalar};

/// Executes dispatches on devices that differ where WGSL leaves choices. The tests and the fuzz targets supply this
/// function.
pub type Execute<'a> = &'a dyn Fn(&Recording) -> Vec<Verdict>;

/// The most elements that are executed. A matrix of 64 by 64 fits.
const MOST_EXECUTED: usize = 6_000;

/// An element's way from src to dst: the offset of its first byte on each side, and its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Move {
    from: u64,
    to: u64,
    channel: usize,
}

/// A plan with the data for its execution.
pub(crate) struct Trial<'a> {
    pub(crate) execute: Execute<'a>,
    pub(crate) plan: &'a Plan,
    pub(crate) clamps: Clamps<'a>,
    pub(crate) src: &'a Layout,
    pub(crate) dst: &'a Layout,
    /// Maps an address in src, in elements, to the bits of the element there.
    pub(crate) value: &'a dyn Fn(u64) -> u64,
    /// The bits of numbers on the GPU in the order of [`Clamp::numbers`]: one list for all elements, or one per
    /// channel.
    pub(crate) slots: &'a [[u64; NUMBERS]],
}

/// Counts of executed work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// Elements of the output.
    pub(crate) elements: usize,
    /// Elements times devices.
    pub(crate) compared: usize,
    /// Dispatches times devices.
    pub(crate) dispatches: usize,
    /// The most devices of one recording.
    pub(crate) devices: usize,
}

impl Count {
    #[cfg(test)]
    pub(crate) fn add(&mut self, other: Self) {
        self.elements += other.elements;
        self.compared += other.compared;
        self.dispatches += other.dispatches;
        self.devices = self.devices.max(other.devices);
    }
}

impl Trial<'_> {
    /// Checks that all windows reach each element once, and executes them.
    ///
    /// # Errors
    ///
    /// The windows miss an element or reach one twice, or a check of [`windows`](Self::windows) fails.
    #[cfg(test)]
    pub(crate) fn all(&self) -> Result<Count, String> {
        self.windows(&self.reach()?)
    }

    /// Checks that the windows together reach each element once.
    ///
    /// # Errors
    ///
    /// The windows miss an element or reach one twice.
    fn reach(&self) -> Result<Vec<(&Assignment, usize)>, String> {
        let assignments = self.plan.strategy.assignments();
        let all: Vec<_> = assignments.flat_map(|one| (0..one.windows()).map(move |n| (one, n))).collect();
        let mut moves: Vec<_> = all.iter().flat_map(|(one, n)| tile_moves(self.plan, one, *n)).collect();
        moves.sort_unstable();
        if moves != self::moves(self.clamps, self.src, self.dst) {
            return Err(format!("the windows do not reach each element once: {self}"));
        }
        Ok(all)
    }

    /// Executes some windows. Checks for each device that no program has a fault, that the reference allows every
    /// element, and that all other bytes stay.
    ///
    /// # Errors
    ///
    /// A check fails.
    fn windows(&self, windows: &[(&Assignment, usize)]) -> Result<Count, String> {
        // Miri checks the crate itself; executing the shaders would take hours.
        if windows.is_empty() || cfg!(miri) {
            return Ok(Count::default());
        }
        let moves: Vec<_> = windows.iter().flat_map(|(one, n)| tile_moves(self.plan, one, *n)).collect();
        let windows: Vec<_> = windows.iter().map(|(one, n)| self.plan.window(one, *n)).collect();
        let operands = self.operands(&moves);
        let mut recording = Recording::new(self.plan, self.clamps, &windows, operands, self.slots);
        let found = self.found();
        recording.output.extend(moves.iter().map(|one| self.element(one, &found)));
        let verdicts = (self.execute)(&recording);
        if verdicts.is_empty() {
            return Err(format!("no device executed it: {self}"));
        }
        if let Some(Verdict { device, findings }) = verdicts.iter().find(|one| !one.findings.is_empty()) {
            let findings: Vec<_> = findings.iter().map(|finding| recording.describe(finding)).collect();
            return Err(format!("{}\non a device: {device}\n{self}", findings.join("\n")));
        }
        let devices = verdicts.len();
        Ok(Count {
            elements: moves.len(),
            compared: moves.len() * devices,
            dispatches: recording.dispatches.len() * devices,
            devices,
        })
    }

    /// The clamps with the numbers of their slots: one per channel, or one for all elements.
    fn found(&self) -> Vec<Found> {
        let clamps = self.clamps.simplified(self.dst.shape()).as_slice();
        let of = |n: usize| Found::new(&clamps[n % clamps.len()], self.slots[n % self.slots.len()]);
        (0..clamps.len().max(self.slots.len())).map(of).collect()
    }

    /// For src and dst: the index of the buffer, and the element size in bytes.
    fn sides(&self) -> [(usize, usize); 2] {
        let [from, to] = self.plan.task.map_or([0; 2], |task| task.arithmetic.sizes());
        [(0, from), (usize::from(self.plan.placement == Placement::TwoBuffers), to)]
    }

    fn element(&self, one: &Move, found: &[Found]) -> Place {
        let [(_, from_size), (buffer, size)] = self.sides();
        let input = (self.value)(one.from / from_size as u64);
        let allowed = found[one.channel % found.len()].allowed(input);
        Place { buffer, offset: one.to, size, input, allowed }
    }

    /// The buffers of src and dst, or their common buffer. Noise fills the packets around the elements.
    fn operands(&self, moves: &[Move]) -> Vec<Buffer> {
        const FILL: u8 = 0xa5;
        let task = self.plan.task.expect("windows are of a task");
        let [(_, from_size), (dst_buffer, _)] = self.sides();
        let mut sizes = vec![0; dst_buffer + 1];
        for (buffer, layout, dtype) in
            [(0, self.src, task.arithmetic.source), (dst_buffer, self.dst, task.arithmetic.dtype)]
        {
            sizes[buffer] = layout.required_bytes(dtype).max(sizes[buffer]);
        }
        let mut packets = vec![BTreeMap::new(); sizes.len()];
        let mut surround = |buffer: usize, offset: u64| {
            let (at, last) = (offset / PACKET as u64, (sizes[buffer] - 1) / PACKET as u64);
            for packet in at.saturating_sub(1)..=at.saturating_add(1).min(last) {
                let noise = |i| mix(!(packet * PACKET as u64 + i as u64)) as u8;
                packets[buffer].entry(packet).or_insert_with(|| std::array::from_fn::<_, PACKET, _>(noise));
            }
        };
        for &Move { from, to, .. } in moves {
            surround(0, from);
            surround(dst_buffer, to);
        }
        for &Move { from, .. } in moves {
            let bits = (self.value)(from / from_size as u64);
            let packet = packets[0].get_mut(&(from / PACKET as u64)).expect("it is surrounded");
            packet[from as usize % PACKET..][..from_size].copy_from_slice(&bits.to_le_bytes()[..from_size]);
        }
        let buffer = |(packets, size): (BTreeMap<u64, [u8; PACKET]>, u64)| {
            let cut = |(packet, bytes): (u64, [u8; PACKET])| {
                let offset = packet * PACKET as u64;
                (offset, bytes[..(size - offset).min(PACKET as u64) as usize].to_vec())
            };
            Buffer { size, fill: FILL, bytes: packets.into_iter().map(cut).collect(), is_scratch: false }
        };
        packets.into_iter().zip(sizes).map(buffer).collect()
    }
}

impl fmt::Display for Trial<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, clamps, src, dst, slots, .. } = self;
        let clamps = clamps.simplified(dst.shape()).as_slice();
        let some = &slots[..slots.len().min(3)];
        write!(f, "{plan}\n{plan:?}\nsrc {src}, dst {dst}, slots: {some:x?}")?;
        clamps.iter().take(3).try_for_each(|clamp| write!(f, "\n{clamp:?}"))
    }
}

/// Pseudo-random numbers.
pub(crate) const fn mix(number: u64) -> u64 {
    self_test::splitmix64(&mut { number })
}

/// Source elements for a clamp, by address. Half are small numbers; the others are edges of the dtype, random patterns
/// and, if dtypes agree, numbers near a bound.
pub(crate) fn values(clamp: &Clamp) -> impl Fn(u64) -> u64 + use<> {
    let dtype = clamp.source();
    // Up to 16 bits, random patterns include the edges.
    let edges = if dtype.bits() > 16 { self_test::elements(dtype, 0) } else { vec![] };
    let bounds = if dtype == clamp.dtype() { [clamp.min(), clamp.max()] } else { [Number::Absent; 2] };
    let mask = self_test::mask(dtype);
    move |address| {
        let hash = mix(address);
        let any = hash >> 8;
        let small = f32::from(any as i16) / 64.0;
        let bits = match (hash % 8, bounds[any as usize % 2]) {
            (0, _) if !edges.is_empty() => edges[any as usize % edges.len()],
            (1, Number::Value(bound)) => bound.bits().wrapping_add(any % 5).wrapping_sub(2),
            (0..4, _) => any,
            _ => match dtype {
                DType::F16 => half::f16::from_f32(small).to_bits().into(),
                DType::BF16 => half::bf16::from_f32(small).to_bits().into(),
                DType::F32 => small.to_bits().into(),
                DType::F64 => f64::from(small).to_bits(),
                _ if dtype.is_signed_integer() => i64::from(any as i16).cast_unsigned(),
                _ => any & 0xffff,
            },
        };
        bits & mask
    }
}

/// Numbers for slots, different for each seed: one list per channel if the slots lie along an axis, else one list.
pub(crate) fn slots(clamps: Clamps<'_>, shape: &[usize], seed: u64) -> Vec<[u64; NUMBERS]> {
    let Some(clamp) = clamps.as_slice().first() else { return Vec::new() };
    let value = values(&Clamp::unbounded(clamp.dtype()));
    let channels = if clamps.has_slots_along() { clamps.simplified(shape).channels(shape) } else { 1 };
    let of_channel = |channel: usize| {
        let chance = mix(seed ^ mix(channel as u64));
        let bound = |n: u64| value(mix(chance) ^ n);
        let factor = |n: u64| match mix(chance ^ n) % 16 {
            0 => f32::NAN,
            1 => f32::NEG_INFINITY,
            2 => 0.0,
            3 => -0.0,
            4..8 => 1.0,
            _ => f32::from(mix(chance ^ n) as i16) / 512.0,
        };
        [bound(0), bound(1), factor(2).to_bits().into(), factor(3).to_bits().into()]
    };
    (0..channels).map(of_channel).collect()
}

/// The elements that a plan should reach, sorted.
fn moves(clamps: Clamps<'_>, src: &Layout, dst: &Layout) -> Vec<Move> {
    let Some(clamp) = clamps.as_slice().first() else { return Vec::new() };
    let [from_size, to_size] = [clamp.source(), clamp.dtype()].map(|dtype| dtype.size() as u64);
    // With stride 1 along the axis and 0 elsewhere, an index's address is its channel.
    let mut strides = vec![0; dst.shape().len()];
    let several = clamps.simplified(dst.shape()).channels(dst.shape()) > 1;
    if let Some(axis) = clamps.axis().filter(|_| several) {
        strides[axis] = 1;
    }
    let channels = Layout::strided(dst.shape(), &strides, 0).expect("its addresses are indices");
    let places = src.addresses().zip(dst.addresses()).zip(channels.addresses());
    let one =
        |((from, to), channel)| Move { from: from as u64 * from_size, to: to as u64 * to_size, channel };
    let mut moves: Vec<_> = places.map(one).collect();
    moves.sort_unstable();
    moves
}

/// Checks that bindings and grids fit the device, and that `entry_points` lists the entry point of each dispatch.
///
/// # Panics
///
/// A binding or a grid does not fit, or an entry point is not listed.
pub(super) fn window(plan: &Plan, window: &Window) {
    let task = plan.task.expect("windows are of a task");
    let (limits, placement) = (&task.limits, plan.placement);
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
    let most = window.kernel.definition().dispatches();
    assert!(window.dispatches().count() <= most, "{} takes more dispatches than it says", window.kernel);
    for dispatch in window.dispatches() {
        let fits = |&n: &u32| n >= 1 && n <= limits.max_workgroups_per_dimension;
        assert!(dispatch.grid.iter().all(fits), "{dispatch:?} for {limits:?}");
        let name = plan.pipeline(window, dispatch.entry_point).expect("there is a channel");
        let Module::Clamp(module) = name.module else { panic!("{name} is not a clamp module") };
        assert!(module.entry_points().contains(&dispatch.entry_point), "{name}: {dispatch:?}");
    }
}

/// Builds a plan and checks the plan or the error.
///
/// # Panics
///
/// The plan or the error is wrong.
pub(crate) fn plan(
    execute: Execute<'_>,
    clamps: Clamps<'_>,
    (src, dst): (&Layout, &Layout),
    placement: Placement,
    limits: Limits,
) {
    let plan = match Plan::with_placement(clamps, src, dst, placement, limits) {
        Ok(plan) => plan,
        Err(error) => return refused(&error, clamps, (src, dst), placement, &limits),
    };
    assert_eq!(src.shape(), dst.shape());
    assert!(plan.window_count() <= MAX_DISPATCHES, "{plan}");
    assert!(!plan.to_string().is_empty() && !format!("{plan:?}").is_empty());
    let Some(clamp) = clamps.as_slice().first() else { return assert_eq!(plan.window_count(), 0) };
    assert_eq!(plan.parameters(clamps).is_some(), !dst.is_empty());
    for one in plan.strategy.assignments() {
        let some = if is_small(dst) { (0..one.windows()).collect() } else { some_of(one) };
        for &n in &some {
            window(&plan, &plan.window(one, n));
        }
        if some.len() == one.windows() {
            let total: usize = some.iter().map(|&n| tile_len(one, n)).sum();
            assert_eq!(total, one.region.len(), "{plan:?}");
        }
    }
    let regions = plan.strategy.assignments().map(|assignment| assignment.region.len());
    assert_eq!(regions.sum::<usize>(), dst.len(), "{plan:?}");
    if is_small(dst) {
        assert!(!shares_itself(dst), "{dst} overlaps itself");
        let in_place = src.same_addresses(dst) && clamp.source().size() == clamp.dtype().size();
        if placement == Placement::OneBuffer && !in_place {
            assert!(!share(clamp, src, dst), "{src} and {dst} share bytes");
        }
    }
    // The sanitizer has no `f64`, so F64 takes the exact step.
    let limits = Limits { f64_arithmetic: false, ..limits };
    let telling = telling(clamps);
    for clamps in [clamps, clamps_like(clamps, &telling)] {
        let Ok(plan) = Plan::with_placement(clamps, src, dst, placement, limits) else { continue };
        let (value, slots) = (values(clamp), slots(clamps, dst.shape(), dst.len() as u64));
        let (value, slots) = (&value, &slots[..]);
        let trial = Trial { execute, plan: &plan, clamps, src, dst, value, slots };
        let reached = if is_small(dst) { trial.reach().map(drop) } else { Ok(()) };
        let held = reached.and_then(|()| trial.windows(&some_windows(&plan)));
        held.unwrap_or_else(|wrong| panic!("{wrong}"));
    }
}

/// Returns as many clamps as `clamps` has, with the same dtypes and up to 64 different Mins. A result that Min did not
/// replace shows its source element; a replaced result shows its channel.
pub(super) fn telling(clamps: Clamps<'_>) -> Vec<Clamp> {
    let one = |(n, clamp): (usize, &Clamp)| {
        let min = Scalar::new(clamp.dtype(), 64 + n as u64 % 64);
        let plain = Clamp::unbounded(clamp.dtype())
            .with_bounds(min, Number::Absent)
            .expect("the bound has the clamp's dtype");
        plain.with_source(clamp.source()).expect("the clamp has it")
    };
    clamps.as_slice().iter().enumerate().map(one).collect()
}

/// Puts `others` in place of the clamps along the same axis, or `others[0]` in place of one clamp.
pub(super) fn clamps_like<'a>(clamps: Clamps<'_>, others: &'a [Clamp]) -> Clamps<'a> {
    let axis = clamps.axis().filter(|_| !clamps.has_slots_along());
    axis.map_or_else(|| (&others[0]).into(), |axis| Clamps::along(axis, others))
}

/// Some windows of the assignments, with at most [`MOST_EXECUTED`] elements together.
fn some_windows(plan: &Plan) -> Vec<(&Assignment, usize)> {
    let mut left = MOST_EXECUTED;
    let all = plan.strategy.assignments().flat_map(|one| some_of(one).into_iter().map(move |n| (one, n)));
    all.filter(|(one, n)| {
        let fits = tile_len(one, *n) <= left;
        left -= if fits { tile_len(one, *n) } else { 0 };
        fits
    })
    .collect()
}

/// The indices of all windows if there are at most 64, else the indices of 18 windows.
fn some_of(assignment: &Assignment) -> Vec<usize> {
    match assignment.windows() {
        count @ 0..=64 => (0..count).collect(),
        count => (0..16).map(|i| i * (count - 1) / 15).chain([1, count - 2]).collect(),
    }
}

/// Checks that an error names a fault, and that the fault is real.
fn refused(
    error: &Error,
    clamps: Clamps<'_>,
    (src, dst): (&Layout, &Layout),
    placement: Placement,
    limits: &Limits,
) {
    let text = error.to_string();
    let list = clamps.as_slice();
    let one_buffer = placement == Placement::OneBuffer;
    let dtypes = || (list[0].source(), list[0].dtype());
    let right = match error {
        Error::Argument(Refusal { value, .. }) if value.ends_with(" end beyond 2^64 bytes") => {
            let (layout, dtype) =
                if text.starts_with("src:") { (src, dtypes().0) } else { (dst, dtypes().1) };
            layout.required_bytes(dtype) == u64::MAX
        }
        Error::Argument(Refusal { argument: "dst", .. }) => src.shape() != dst.shape(),
        Error::Argument(Refusal { argument: "axis", .. }) => {
            clamps.axis().is_some_and(|axis| axis >= dst.rank() && text.contains(&format!("axis: {axis} ")))
        }
        Error::Argument(Refusal { argument: "clamps", value, .. }) => {
            let extent = dst.shape()[clamps.axis().expect("one clamp suits every shape")];
            let differs = |(n, clamp): (usize, &Clamp)| {
                text.contains(&format!(": channel {n} has ")) && *clamp != list[0]
            };
            let on_gpu = |(n, clamp): (usize, &Clamp)| {
                text.contains(&format!(" of channel {n} is ")) && clamp.number_on_gpu().is_some()
            };
            match value {
                count if count.contains(" given for axis") => {
                    list.len() != extent && count.starts_with(&format!("{} given", list.len()))
                }
                _ => list.iter().enumerate().any(|n| differs(n) || on_gpu(n)),
            }
        }
        // This does not check whether an undecided overlap is real.
        Error::Overlap(_) if text.contains("could not decide") => one_buffer || text.starts_with("dst:"),
        Error::Overlap(Refusal { argument: "dst", .. }) => !is_small(dst) || shares_itself(dst),
        Error::Overlap(Refusal { argument: "src, dst", .. }) if text.contains(" in place; ") => {
            one_buffer && src.same_addresses(dst) && dtypes().0.size() != dtypes().1.size()
        }
        Error::Overlap(Refusal { argument: "src, dst", .. }) => {
            one_buffer && !src.same_addresses(dst) && (!is_small(dst) || share(&list[0], src, dst))
        }
        Error::Limit { limit_name: "max_windows", needed, limit, .. } => {
            needed > limit && (!suffices(limits) || dst.len() > MAX_DISPATCHES / 3)
        }
        Error::Limit { argument: "device", limit_name, needed, limit, .. } => {
            let [less, more] = [needed.min(limit), needed.max(limit)];
            let wanted = if limit_name.starts_with("min_") { less } else { more };
            less < more && needed == wanted && !suffices(limits)
        }
        _ => false,
    };
    assert!(right, "{error:?} for src {src}, dst {dst}, {placement}, {limits:?}");
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
    let mut seen = FxHashSet::default();
    !layout.addresses().all(|address| seen.insert(address))
}

/// Whether src and dst share a byte.
fn share(clamp: &Clamp, src: &Layout, dst: &Layout) -> bool {
    let bytes = |layout: &Layout, dtype: DType| {
        let size = dtype.size() as u128;
        layout.addresses().flat_map(move |address| (0..size).map(move |byte| address as u128 * size + byte))
    };
    let written: FxHashSet<_> = bytes(dst, clamp.dtype()).collect();
    bytes(src, clamp.source()).any(|byte| written.contains(&byte))
}

fn tile_len(assignment: &Assignment, n: usize) -> usize {
    assignment.nth_tile(n).extents.iter().product()
}

/// The elements that the `n`-th window of an assignment should reach.
fn tile_moves(plan: &Plan, assignment: &Assignment, n: usize) -> Vec<Move> {
    let task = plan.task.expect("windows are of a task");
    let Assignment { region, .. } = assignment;
    let tile = assignment.nth_tile(n);
    let mut places = vec![(tile.starts, tile.first_channel)];
    for (dim, extent) in region.dims().iter().zip(tile.extents) {
        let along = |(starts, channel): &([usize; 2], usize), i: usize| {
            let by = |stride: isize| stride.wrapping_mul(i.cast_signed());
            let moved = [(SRC, dim.src), (DST, dim.dst)];
            let moved = moved.map(|(side, stride)| starts[side].wrapping_add_signed(by(stride)));
            (moved, channel + if dim.channels { i } else { 0 })
        };
        places = places.iter().flat_map(|place| (0..extent).map(move |i| along(place, i))).collect();
    }
    let sizes = task.arithmetic.sizes().map(|size| size as u64);
    let one = |([from, to], channel): ([usize; 2], usize)| Move {
        from: from as u64 * sizes[SRC],
        to: to as u64 * sizes[DST],
        // The caller's channel. If dst runs downwards along the channels, the region counts them from the last one.
        channel: if region.reversed_channels { task.channels - 1 - channel } else { channel },
    };
    places.into_iter().map(one).collect()
}
