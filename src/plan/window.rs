//! Windows: the bindings that span a tile, the dispatches that work on it, and the places of uniform blocks. The module
//! also chooses the extents of tiles: one binding per operand must span a tile, and one grid must cover it.

use std::iter;

use super::Plan;
use super::strategy::{Assignment, Misfit};
use crate::kernel::region::{DST, SRC};
use crate::kernel::{
    BoundTile, Dim, Dispatch, GeometryBytes, Kernel, Launch, Placement, Region, Task, Tile, Tiling, WORD,
};
use crate::shader::binding;
use crate::{Error, Limits, MAX_RANK};

/// A part of a buffer, in bytes. The offset suits a binding, the size is a multiple of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl Range {
    /// The binding that spans `elements`, the first and the last address, inclusive. It ends at a multiple of `end`
    /// bytes. `None` if it is too long.
    pub(crate) fn spanning(elements: (usize, usize), size: u64, end: u64, limits: &Limits) -> Option<Self> {
        let first = elements.0 as u128 * u128::from(size);
        Self::covering((first, (elements.1 as u128 + 1) * u128::from(size)), end, limits)
    }

    /// As [`spanning`](Self::spanning), for the bytes `first..behind`.
    fn covering((first, behind): (u128, u128), end: u64, limits: &Limits) -> Option<Self> {
        let last = behind.next_multiple_of(end.into());
        let offset = first - first % u128::from(limits.binding_start());
        let range = Self { offset: offset.try_into().ok()?, size: (last - offset).try_into().ok()? };
        (range.size <= limits.binding_size()).then_some(range)
    }

    const fn end(self) -> u64 {
        self.offset + self.size
    }
}

/// The bindings of a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bindings {
    pub(crate) placement: Placement,
    /// The range of src; with [`Placement::OneBuffer`], the range of both sides.
    pub(crate) src: Range,
    pub(crate) dst: Range,
}

impl Bindings {
    /// The storage bindings: binding number, side of the buffer, range.
    pub(crate) fn storage(&self) -> impl Iterator<Item = (u32, usize, Range)> {
        let dst = (self.placement != Placement::OneBuffer).then_some((binding::DST, DST, self.dst));
        iter::once((binding::SRC, SRC, self.src)).chain(dst)
    }
}

/// The bindings that span a tile, and the launch of its kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) kernel: Kernel,
    pub(crate) bindings: Bindings,
    pub(crate) launch: Launch,
}

impl Window {
    pub(crate) fn dispatches(&self) -> impl Iterator<Item = Dispatch> {
        self.launch.dispatches()
    }
}

impl Plan {
    /// The windows, computed lazily.
    pub(crate) fn windows(&self) -> impl Iterator<Item = Window> {
        let of = |assignment| (0..Assignment::windows(assignment)).map(|n| self.window(assignment, n));
        self.strategy.assignments().flat_map(of)
    }

    pub(crate) fn window_count(&self) -> usize {
        self.strategy.assignments().map(Assignment::windows).sum()
    }

    pub(super) fn window(&self, assignment: &Assignment, n: usize) -> Window {
        let Assignment { kernel, region, ends, .. } = assignment;
        let task = self.task.expect("windows are of a task");
        let tile = assignment.tile(n);
        let bindings = bind(&task, region, &tile, *ends).expect("tiles are as large as bindings allow");
        let sizes = task.arithmetic.sizes();
        // Byte offsets in the binding, which is shorter than 2^31 bytes.
        let within =
            |side: usize, range: Range| (tile.starts[side] as u64 * sizes[side] as u64 - range.offset) as u32;
        let launch = kernel.definition().launch(&BoundTile {
            region,
            tile: &tile,
            task: &task,
            start_bytes: [within(0, bindings.src), within(1, bindings.dst)],
            src_size: bindings.src.size,
        });
        Window { kernel: *kernel, bindings, launch }
    }
}

/// The bindings that span a tile and end at multiples of `ends` bytes. `None` if a binding is too long, or if two
/// ranges of one buffer overlap.
pub(super) fn bind(task: &Task, region: &Region, tile: &Tile, ends: [u64; 2]) -> Option<Bindings> {
    let [src_size, dst_size] = task.arithmetic.sizes().map(|size| size as u64);
    let span = |start: usize, stride: fn(&Dim) -> isize| {
        let (mut lowest, mut highest) = (start, start);
        for (dim, extent) in region.dims().iter().zip(tile.extents) {
            let distance = (extent - 1) * stride(dim).unsigned_abs();
            if stride(dim) < 0 {
                lowest -= distance;
            } else {
                highest += distance;
            }
        }
        (lowest, highest)
    };
    let src = span(tile.starts[0], |dim| dim.src);
    let dst = span(tile.starts[1], |dim| dim.dst);
    let word = WORD as u64;
    let apart = |placement| {
        let src = Range::spanning(src, src_size, ends[0], &task.limits)?;
        Some(Bindings { placement, src, dst: Range::spanning(dst, dst_size, ends[1], &task.limits)? })
    };
    if task.placement == Placement::TwoBuffers {
        return apart(Placement::TwoBuffers);
    }
    let byte = |element: usize, size: u64| element as u128 * u128::from(size);
    let first = byte(src.0, src_size).min(byte(dst.0, dst_size));
    let behind = |last: usize, size: u64, end: u64| byte(last + 1, size).next_multiple_of(end.into());
    let behind = behind(src.1, src_size, ends[0]).max(behind(dst.1, dst_size, ends[1]));
    let both = Range::covering((first, behind), word, &task.limits);
    if let Some(both) = both {
        return Some(Bindings { placement: Placement::OneBuffer, src: both, dst: both });
    }
    let bindings = apart(Placement::TwoRanges)?;
    let disjoint = bindings.src.end() <= bindings.dst.offset || bindings.dst.end() <= bindings.src.offset;
    disjoint.then_some(bindings)
}

/// Limits of one window, in elements.
#[derive(Clone, Copy)]
struct Room {
    /// The most elements that src and dst may span, from the first to the last element inclusive.
    spans: [usize; 2],
    /// The most elements of a tile.
    count: usize,
}

/// The extents of `kernel`'s tiles in a region, as large as the device's bindings and grids allow.
pub(super) fn tile(
    task: &Task,
    kernel: Kernel,
    region: &Region,
    (lead, ends): (usize, [u64; 2]),
    in_place: bool,
) -> Result<[usize; MAX_RANK], Misfit> {
    let tiling = kernel.definition().tiling(task, region);
    let Tiling { most, .. } = tiling;
    let mut extents = [1; MAX_RANK];
    for (extent, dim) in extents.iter_mut().zip(region.dims()) {
        *extent = dim.extent + lead;
    }
    let whole =
        Tile { starts: region.starts, extents: region.extents(), first_channel: region.first_channel };
    if bind(task, region, &whole, ends).is_some() && region.len() as u64 <= most {
        return Ok(extents);
    }
    let room = Room::new(task, &tiling, ends, in_place)?;
    let mut cutter = Cutter { dims: region.dims(), extents };
    while let Some((d, extent)) = cutter.too_long(room) {
        let multiple = kernel.definition().multiple(region, d);
        if extent < multiple {
            return Err(Misfit::BelowQuantum);
        }
        cutter.extents[d] = extent / multiple * multiple;
    }
    Ok(cutter.extents)
}

impl Room {
    fn new(task: &Task, tiling: &Tiling, ends: [u64; 2], in_place: bool) -> Result<Self, Misfit> {
        let limits = &task.limits;
        // Aligning both ends of a binding adds at most this many bytes.
        let slack = limits.binding_start().saturating_add(ends[0].max(ends[1]));
        let span = if task.placement == Placement::OneBuffer && !in_place {
            // Each side may span half a binding. If ranges of src and dst share words, both fit into one binding.
            (limits.binding_size() / 2).saturating_sub(slack)
        } else {
            limits.binding_size().saturating_sub(slack)
        };
        let in_quanta = |n: u64| usize::try_from(n).unwrap_or(usize::MAX) / tiling.quantum * tiling.quantum;
        let spans = task.arithmetic.sizes().map(|size| in_quanta(span / size as u64));
        let room = Self { spans, count: in_quanta(tiling.most) };
        let refused =
            |limit_name, needed, limit| Err(Misfit::Refused(Error::device_limit(limit_name, needed, limit)));
        if room.count == 0 {
            let limit = limits.max_workgroups_per_dimension;
            return refused("max_compute_workgroups_per_dimension", u64::from(limit) + 1, limit.into());
        }
        if room.spans.contains(&0) {
            let needed = slack.saturating_mul(4);
            // A larger binding would not help: the alignment is at fault.
            if needed <= limits.max_binding_size {
                let (name, alignment) = ("min_storage_buffer_offset_alignment", limits.binding_alignment);
                return refused(name, Limits::default().binding_alignment, alignment);
            }
            return refused("max_storage_buffer_binding_size", needed, limits.max_binding_size);
        }
        Ok(room)
    }
}

/// A tile that shrinks until it fits.
struct Cutter<'a> {
    dims: &'a [Dim],
    extents: [usize; MAX_RANK],
}

impl Cutter<'_> {
    /// The dimension to shrink, and its new extent, at least 1; `None` if the tile fits. If an operand spans too much,
    /// the dimension with the longest span shrinks. If the tile has too many elements, the outermost dimension
    /// shrinks.
    fn too_long(&self, room: Room) -> Option<(usize, usize)> {
        let stride = |dim: &Dim, side: usize| [dim.src, dim.dst][side].unsigned_abs();
        let dims = || self.dims.iter().zip(self.extents).enumerate();
        for side in [DST, SRC] {
            let room = room.spans[side];
            let span = |(dim, extent): (&Dim, usize)| (extent - 1) * stride(dim, side);
            let total: usize = dims().map(|(_, dim)| span(dim)).sum();
            if total >= room {
                let (d, dim) = dims().max_by_key(|&(_, dim)| span(dim))?;
                let others = total - span(dim);
                return Some((d, 1 + (room - 1).saturating_sub(others) / stride(dim.0, side)));
            }
        }
        let count: usize = dims().map(|(_, (_, extent))| extent).product();
        if count > room.count {
            let (d, (_, extent)) = dims().find(|(_, (_, extent))| *extent > 1)?;
            return Some((d, (room.count / (count / extent)).max(1)));
        }
        None
    }
}

/// The layout of consecutive uniform blocks. A block has the parameters, then the kernel's geometry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UniformLayout {
    pub(crate) count: usize,
    /// Bytes between the starts of two blocks.
    pub(crate) pitch: u64,
    /// Bytes of a block.
    pub(crate) size: u64,
}

impl UniformLayout {
    /// The layout of `count` blocks with `parameters` bytes of parameters each, at multiples of `alignment` bytes. A
    /// single block needs no padding.
    pub(crate) fn new(count: usize, parameters: usize, first: &GeometryBytes, alignment: u64) -> Self {
        if count == 1 {
            let size = (parameters + first.as_bytes().len()).next_multiple_of(16) as u64;
            return Self { count, pitch: size, size };
        }
        let size = (parameters + GeometryBytes::CAPACITY) as u64;
        Self { count, pitch: Self::pitch(parameters, alignment), size }
    }

    /// Bytes between the starts of two blocks, for any kernel.
    pub(crate) const fn pitch(parameters: usize, alignment: u64) -> u64 {
        ((parameters + GeometryBytes::CAPACITY) as u64).next_multiple_of(alignment)
    }

    /// The length of all blocks, in bytes.
    pub(crate) const fn len(&self) -> u64 {
        self.pitch * self.count as u64
    }

    /// The start of the `n`-th block, in bytes.
    pub(crate) const fn offset(&self, n: usize) -> u64 {
        n as u64 * self.pitch
    }

    /// The parts of the `n`-th block and their offsets in the buffer, in bytes.
    pub(crate) fn parts<'a>(
        &self,
        n: usize,
        parameters: &'a [u8],
        geometry: &'a GeometryBytes,
    ) -> [(u64, &'a [u8]); 2] {
        let at = self.offset(n);
        [(at, parameters), (at + parameters.len() as u64, geometry.as_bytes())]
    }
}
