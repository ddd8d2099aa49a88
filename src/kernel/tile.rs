//! Tiles (the parts of a region that one window covers), and a kernel's launch on a tile.

use bytemuck::Pod;

use super::region::{DST, Dim, Region, SRC};
use super::{EntryPoint, Task, WORKGROUP_SIZE};
use crate::MAX_RANK;

/// A part of a region: where it starts in src and dst, in elements, and its extents.
#[derive(Clone, Copy)]
pub(crate) struct Tile {
    pub(crate) starts: [usize; 2],
    pub(crate) extents: [usize; MAX_RANK],
    pub(crate) first_channel: usize,
}

/// A tile within its bindings.
pub(crate) struct BoundTile<'a> {
    pub(crate) region: &'a Region,
    pub(crate) tile: &'a Tile,
    pub(crate) task: &'a Task,
    /// Offsets of the first elements in the bindings of src and dst, in bytes.
    pub(crate) start_bytes: [u32; 2],
    /// Size of the src binding, in bytes.
    pub(crate) src_size: u64,
}

/// A dimension of a tile: its extent, and its strides in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub(super) extent: u64,
    pub(super) src: isize,
    pub(super) dst: isize,
    /// Whether its indices are channels.
    pub(super) channels: bool,
}

impl Loop {
    pub(super) const ONCE: Self = Self { extent: 1, src: 0, dst: 0, channels: false };

    /// The first `extent` indices of a dimension.
    pub(super) const fn of(dim: &Dim, extent: usize) -> Self {
        Self { extent: extent as u64, src: dim.src, dst: dim.dst, channels: dim.channels }
    }

    /// The smaller absolute stride of both sides; dst's stride for a broadcast. Loops are sorted by this distance.
    pub(super) fn distance(&self) -> usize {
        match self.src {
            0 => self.dst.unsigned_abs(),
            src => src.unsigned_abs().min(self.dst.unsigned_abs()),
        }
    }

    /// The loop in steps of `rounds` indices.
    pub(super) const fn in_steps(self, rounds: u64) -> Self {
        let by = rounds.cast_signed() as isize;
        let (src, dst) = (self.src.wrapping_mul(by), self.dst.wrapping_mul(by));
        Self { extent: self.extent.div_ceil(rounds), src, dst, ..self }
    }
}

impl BoundTile<'_> {
    /// Offsets of the first elements in the bindings of src and dst, in elements.
    pub(super) fn starts(&self) -> [u32; 2] {
        let sizes = self.task.arithmetic.sizes();
        [SRC, DST].map(|side| self.start_bytes[side] / sizes[side] as u32)
    }

    pub(super) fn len(&self) -> u64 {
        self.loops().map(|dim| dim.extent).product()
    }

    /// The dimensions, innermost first.
    pub(super) fn loops(&self) -> impl Iterator<Item = Loop> {
        let dims = self.region.dims().iter().zip(self.tile.extents).rev();
        dims.map(|(dim, extent)| Loop::of(dim, extent))
    }

    /// All dimensions except the innermost `skip`, sorted by distance: consecutive invocations then share cache lines
    /// of src or dst.
    pub(super) fn nearest_first(&self, skip: usize) -> impl Iterator<Item = Loop> {
        let mut loops = [Loop::ONCE; MAX_RANK];
        let rank = self.region.dims().len() - skip;
        for (slot, dim) in loops.iter_mut().zip(self.loops().skip(skip)) {
            *slot = dim;
        }
        loops[..rank].sort_by_key(Loop::distance);
        loops.into_iter().take(rank)
    }

    /// The grid for at least this many invocations.
    pub(super) fn grid_of(&self, invocations: u64) -> [u32; 2] {
        self.task.limits.grid(invocations.div_ceil(WORKGROUP_SIZE.into()))
    }
}

/// One `dispatch_workgroups`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dispatch {
    pub(crate) entry_point: EntryPoint,
    /// Workgroups along x and y.
    pub(crate) grid: [u32; 2],
}

/// A kernel's geometry and dispatches for one tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) geometry: GeometryBytes,
    dispatches: [Option<Dispatch>; 2],
}

impl Launch {
    /// Holds `dispatches` in the order in which they are recorded; `None` is a dispatch with nothing to do.
    pub(super) fn new(geometry: &impl Pod, dispatches: [Option<Dispatch>; 2]) -> Self {
        Self { geometry: GeometryBytes::new(geometry), dispatches }
    }

    pub(crate) fn dispatches(&self) -> impl Iterator<Item = Dispatch> {
        self.dispatches.into_iter().flatten()
    }
}

/// The bytes of a kernel's `Geometry`, the part of the uniform block that says where the elements are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GeometryBytes {
    bytes: [u8; Self::CAPACITY],
    len: usize,
}

impl GeometryBytes {
    /// Enough for the largest `Geometry`; a test checks that.
    pub(crate) const CAPACITY: usize = 256;

    fn new(geometry: &impl Pod) -> Self {
        let mut bytes = [0; Self::CAPACITY];
        let part = bytemuck::bytes_of(geometry);
        bytes[..part.len()].copy_from_slice(part);
        Self { bytes, len: part.len() }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
