//! From a linear index to a place in src and dst: what every kernel but those of one run begins with. The host's half
//! of `kernel/walk.wgsl` and `kernel/items.wgsl`.

use bytemuck::{Pod, Zeroable};

use super::division::Division;
use super::per_word;
use super::tile::{BoundTile, Loop};
use crate::{DType, MAX_RANK};

/// Mirrors `Dim` in `kernel/walk.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct WalkDim {
    pub(crate) extent: u32,
    pub(crate) src_stride: u32,
    pub(crate) dst_stride: u32,
    pub(crate) multiplier: u32,
}

/// Mirrors `Walk` in `kernel/walk.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Walk {
    pub(crate) dims: [WalkDim; MAX_RANK],
    pub(crate) shifts: [u32; MAX_RANK],
    pub(crate) count: u32,
    pub(crate) src_start: u32,
    pub(crate) dst_start: u32,
    pub(crate) grid_width: u32,
    pub(crate) items: u32,
    pub(crate) channel_dim: u32,
    pub(crate) first_channel: u32,
    /// To the size of the WGSL struct.
    pub(crate) padding: u32,
}

/// The constant `RANK`: no dimension from this one on has an extent above 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rank {
    One = 1,
    Two = 2,
    Four = 4,
    Eight = 8,
}

impl Rank {
    pub(super) const ALL: [Self; 4] = [Self::One, Self::Two, Self::Four, Self::Eight];

    const fn of(dims: usize) -> Self {
        match dims {
            0 | 1 => Self::One,
            2 => Self::Two,
            3 | 4 => Self::Four,
            _ => Self::Eight,
        }
    }

    pub(super) fn constant(self) -> (&'static str, f64) {
        ("RANK", f64::from(self as u8))
    }
}

/// What the first dimension of a walk counts in kernels with `kernel/items.wgsl`: its constants `ITEMS` and
/// `SPLIT_ROWS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum First {
    /// Items (rows or elements), so many of them at a time.
    Items(Items),
    /// Segments of a row.
    Segments,
}

/// Items that an invocation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Items {
    One = 1,
    Four = 4,
    Eight = 8,
}

impl Items {
    /// Those that occur: eight of words would be too many.
    pub(super) fn all(dtype: DType) -> Vec<Self> {
        match per_word(dtype) {
            1 => vec![Self::One, Self::Four, Self::Eight],
            _ => vec![Self::One, Self::Four],
        }
    }
}

impl First {
    /// Those that occur.
    pub(super) fn all(dtype: DType) -> Vec<Self> {
        Items::all(dtype).into_iter().map(Self::Items).chain([Self::Segments]).collect()
    }

    pub(crate) const fn items(self) -> u32 {
        match self {
            Self::Items(items) => items as u32,
            Self::Segments => 1,
        }
    }

    pub(super) fn constants(self) -> [(&'static str, f64); 2] {
        [super::flag("SPLIT_ROWS", self == Self::Segments), ("ITEMS", f64::from(self.items()))]
    }
}

impl Walk {
    /// Through `loops` in this order, with `count` the product of their extents. Starts and strides count elements of
    /// their side.
    pub(super) fn over(tile: &BoundTile<'_>, loops: impl IntoIterator<Item = Loop>) -> (Self, Rank) {
        Self::counting(tile, loops, tile.sizes())
    }

    /// As [`over`](Self::over); starts and strides in src and in dst count so many bytes each.
    pub(super) fn counting(
        tile: &BoundTile<'_>,
        loops: impl IntoIterator<Item = Loop>,
        address_bytes: [u64; 2],
    ) -> (Self, Rank) {
        let mut walk = Self::zeroed();
        let Division { multiplier, shift } = Division::by(1);
        walk.dims = [WalkDim { extent: 1, src_stride: 0, dst_stride: 0, multiplier }; MAX_RANK];
        walk.shifts = [shift; MAX_RANK];
        walk.channel_dim = u32::MAX;
        walk.first_channel = tile.tile.first_channel as u32;
        let sizes = tile.sizes();
        let [src_elements, dst_elements] =
            [0, 1].map(|side| (address_bytes[side] / sizes[side]).cast_signed() as isize);
        let mut rank = 0_usize;
        for Loop { extent, src, dst, channels } in loops {
            let Division { multiplier, shift } = Division::by(extent as u32);
            if channels {
                walk.channel_dim = rank as u32;
            }
            // Modulo 2^32, as the shader adds them up; the sums lie in the binding.
            let (src_stride, dst_stride) = ((src / src_elements) as u32, (dst / dst_elements) as u32);
            walk.dims[rank] = WalkDim { extent: extent as u32, src_stride, dst_stride, multiplier };
            walk.shifts[rank] = shift;
            rank += 1;
        }
        [walk.src_start, walk.dst_start] =
            [0, 1].map(|side| tile.start_bytes[side] / address_bytes[side] as u32);
        walk.count = walk.dims.iter().map(|dim| u64::from(dim.extent)).product::<u64>() as u32;
        (walk, Rank::of(rank))
    }

    /// Through the items that are left without the innermost `skip` dimensions, several per invocation.
    pub(super) fn over_items(tile: &BoundTile<'_>, skip: usize) -> (Self, Rank, Items) {
        let mut loops = tile.nearest_first(skip).peekable();
        let first = loops.next().unwrap_or(Loop::ONCE);
        // If the smallest strides of src and dst are on different axes, neighbouring invocations follow the one, and
        // the items of an invocation the other. Items of smaller elements are words, of which half as many are
        // better.
        let disagree = tile.size() >= 4
            && loops.peek().is_some_and(|next| next.src.unsigned_abs() < first.src.unsigned_abs());
        let items = match first.extent {
            0..4 => Items::One,
            8.. if disagree => Items::Eight,
            _ => Items::Four,
        };
        let batches = Loop { extent: first.extent.div_ceil(items as u64), ..first };
        let (mut walk, rank) = Self::over(tile, [batches].into_iter().chain(loops));
        walk.items = first.extent as u32;
        (walk, rank, items)
    }

    /// Through so many segments of each row, of which `outer` are the other dimensions.
    pub(super) fn over_segments(
        tile: &BoundTile<'_>,
        segments: u64,
        outer: impl Iterator<Item = Loop>,
    ) -> (Self, Rank) {
        let segments = Loop { extent: segments, ..Loop::ONCE };
        Self::over(tile, [segments].into_iter().chain(outer))
    }

    /// Through rows in so many segments each.
    pub(super) fn over_rows(tile: &BoundTile<'_>, skip: usize, segments: u64) -> (Self, Rank, First) {
        if segments <= 1 {
            let (walk, rank, items) = Self::over_items(tile, skip);
            (walk, rank, First::Items(items))
        } else {
            let (walk, rank) = Self::over_segments(tile, segments, tile.nearest_first(skip));
            (walk, rank, First::Segments)
        }
    }

    /// The grid for an invocation per linear index, of which it keeps the width.
    pub(super) fn grid(&mut self, tile: &BoundTile<'_>) -> [u32; 2] {
        let grid = tile.grid_of(self.count.into());
        self.grid_width = grid[0];
        grid
    }
}
