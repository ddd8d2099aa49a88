//! Regions: boxes of the index space, collapsed to few dimensions. Kernels take regions or parts of them. A tile is the part
//! of a region that one window covers.

use std::fmt;

use crate::{Layout, MAX_RANK};

/// A box of the index space in as few dimensions as possible: no extent is 1, and dimensions that continue each other
/// on both sides are merged. The strides of dst are positive and decrease: the innermost dimension is last.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region {
    rank: usize,
    dims: [Dim; MAX_RANK],
    /// The addresses of the first element of src and dst, in elements.
    pub(crate) starts: [usize; 2],
    /// The channel of the first element.
    pub(crate) first_channel: usize,
    /// Whether channels are counted from the caller's last channel.
    pub(crate) reversed_channels: bool,
}

/// One dimension of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dim {
    pub(crate) extent: usize,
    /// The stride of src, in elements.
    pub(crate) src: isize,
    /// The stride of dst, in elements; positive.
    pub(crate) dst: isize,
    /// The caller's axis; of merged axes, the innermost.
    pub(crate) axis: usize,
    /// Whether its indices are channels, with a clamp each. Channels are not merged with another dimension.
    pub(crate) channels: bool,
}

impl Dim {
    pub(crate) const ONCE: Self = Self { extent: 1, src: 0, dst: 0, axis: 0, channels: false };
}

/// A part of a region: where it starts in src and dst, in elements, and its extents.
#[derive(Clone, Copy)]
pub(crate) struct Tile {
    pub(crate) starts: [usize; 2],
    pub(crate) extents: [usize; MAX_RANK],
    pub(crate) first_channel: usize,
}

/// The index of src in pairs of starts or strides.
pub(crate) const SRC: usize = 0;
/// The index of dst in these pairs.
pub(crate) const DST: usize = 1;

impl Region {
    /// Collapses the whole index space, which is not empty. `channel_axis`: the axis whose indices have a clamp each.
    pub(crate) fn collapsed(src: &Layout, dst: &Layout, channel_axis: Option<usize>) -> Self {
        let mut region = Self {
            rank: 0,
            dims: [Dim::ONCE; MAX_RANK],
            starts: [src.offset(), dst.offset()],
            first_channel: 0,
            reversed_channels: false,
        };
        for (axis, &extent) in dst.shape().iter().enumerate() {
            if extent > 1 {
                let channels = channel_axis == Some(axis);
                let (src, dst) = (src.strides()[axis], dst.strides()[axis]);
                region.insert(Dim { extent, src, dst, axis, channels });
            }
        }
        region.merge();
        region
    }

    pub(crate) fn dims(&self) -> &[Dim] {
        &self.dims[..self.rank]
    }

    /// The dimensions along which elements of dst are adjacent.
    pub(crate) fn run(&self) -> &[Dim] {
        let mut length = 1;
        let continues = |dim: &&Dim| {
            let continues = dim.dst.unsigned_abs() == length;
            length *= dim.extent;
            continues
        };
        let count = self.dims().iter().rev().take_while(continues).count();
        &self.dims()[self.rank - count..]
    }

    /// The region with dimension `d` as two: `count` indices in the inner one, as it is if these are all. `None` if there is a
    /// remainder or no room.
    pub(crate) fn split(mut self, d: usize, count: usize) -> Option<Self> {
        let dim = self.dims[d];
        if dim.extent == count {
            return Some(self);
        }
        if self.rank == MAX_RANK || dim.channels || !dim.extent.is_multiple_of(count) {
            return None;
        }
        let by = count.cast_signed();
        self.dims.copy_within(d..self.rank, d + 1);
        self.dims[d] = Dim { extent: dim.extent / count, src: dim.src * by, dst: dim.dst * by, ..dim };
        self.dims[d + 1].extent = count;
        self.rank += 1;
        Some(self)
    }

    /// Inserts a dimension in the order of dst strides. Reverses it first if its dst stride is negative.
    fn insert(&mut self, mut dim: Dim) {
        if dim.dst < 0 {
            let last = (dim.extent - 1).cast_signed();
            self.starts[SRC] = self.starts[SRC].wrapping_add_signed(dim.src.wrapping_mul(last));
            self.starts[DST] = self.starts[DST].wrapping_add_signed(dim.dst.wrapping_mul(last));
            // No stride is `isize::MIN`: two elements would lie too far apart.
            (dim.src, dim.dst) = (dim.src.wrapping_neg(), -dim.dst);
            self.reversed_channels |= dim.channels;
        }
        // Insertion suits a few dimensions that are nearly sorted. There is room for all dimensions of a layout.
        let at = self.dims().partition_point(|other| other.dst >= dim.dst);
        self.dims.copy_within(at..self.rank, at + 1);
        self.dims[at] = dim;
        self.rank += 1;
    }

    /// Merges neighbouring dimensions if, on both sides, the outer stride is the inner stride times the inner extent.
    fn merge(&mut self) {
        let mut merged = 0;
        for d in 1..self.rank {
            let (outer, inner) = (self.dims[merged], self.dims[d]);
            let extent = inner.extent.cast_signed();
            if !(inner.channels || outer.channels)
                && inner.src.checked_mul(extent) == Some(outer.src)
                && inner.dst.checked_mul(extent) == Some(outer.dst)
            {
                self.dims[merged] = Dim { extent: outer.extent * inner.extent, ..inner };
            } else {
                merged += 1;
                self.dims[merged] = inner;
            }
        }
        self.rank = self.rank.min(merged + 1);
        self.dims[self.rank..].fill(Dim::ONCE);
    }

    /// The part with `extent` indices of dimension `d`, from `first` on, and the parts beside it, at most two.
    pub(super) fn cut(&self, d: usize, first: usize, extent: usize) -> (Self, Vec<Self>) {
        let end = first + extent;
        let beside = [(0, first), (end, self.dims[d].extent - end)].into_iter();
        let rest = beside.filter(|(_, extent)| *extent > 0);
        (self.slice(d, first, extent), rest.map(|(first, extent)| self.slice(d, first, extent)).collect())
    }

    /// The part of the region with `extent` indices of dimension `d`, from `first` on.
    pub(crate) fn slice(mut self, d: usize, first: usize, extent: usize) -> Self {
        let dim = &mut self.dims[d];
        dim.extent = extent;
        if dim.channels {
            self.first_channel += first;
        }
        let along = |stride: isize| stride.wrapping_mul(first.cast_signed());
        let moved = [along(dim.src), along(dim.dst)];
        self.starts = [SRC, DST].map(|side| self.starts[side].wrapping_add_signed(moved[side]));
        if extent == 1 {
            self.dims.copy_within(d + 1..self.rank, d);
            self.rank -= 1;
            self.merge();
        }
        self
    }

    /// The extents; 1 beyond the rank.
    pub(crate) fn extents(&self) -> [usize; MAX_RANK] {
        self.dims.map(|dim| dim.extent)
    }

    pub(crate) fn len(&self) -> usize {
        self.dims().iter().map(|dim| dim.extent).product()
    }

    /// The lowest and the highest address of a tile in src or dst.
    pub(crate) fn span(&self, side: usize, tile: &Tile) -> (usize, usize) {
        let (mut lowest, mut highest) = (tile.starts[side], tile.starts[side]);
        for (dim, extent) in self.dims().iter().zip(tile.extents) {
            let stride = [dim.src, dim.dst][side];
            let distance = (extent - 1) * stride.unsigned_abs();
            if stride < 0 {
                lowest -= distance;
            } else {
                highest += distance;
            }
        }
        (lowest, highest)
    }

    /// The tile that is the whole region.
    pub(crate) fn whole(&self) -> Tile {
        Tile { starts: self.starts, extents: self.extents(), first_channel: self.first_channel }
    }

    /// Whether src and dst have the same addresses.
    pub(crate) fn in_place(&self) -> bool {
        self.starts[SRC] == self.starts[DST] && self.dims().iter().all(|dim| dim.src == dim.dst)
    }
}

#[expect(clippy::missing_fields_in_debug, reason = "the rank is the number of dimensions")]
impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Region").field("dims", &self.dims()).field("starts", &self.starts).finish()
    }
}
