//! The pieces of a plan: parts of the index space, collapsed, each with the kernel that suits it.

use std::fmt;

use super::geometry::SPREAD_LINES;
use super::{PACKET, Plan};
use crate::shader::{AffineStep, Kernel, Placement};
use crate::{Layout, MAX_RANK};

/// A part of the index space that one kernel takes.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) kernel: Kernel,
    rank: usize,
    dims: [Dim; MAX_RANK],
    /// The addresses of the first element of src and dst.
    pub(super) starts: [usize; 2],
    /// By how many elements the first block of the contiguous kernel is short, so that the others start at
    /// packets.
    pub(super) lead: usize,
}

/// One dimension after collapsing. The destination's stride is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dim {
    pub(super) extent: usize,
    pub(super) src: isize,
    pub(super) dst: isize,
    /// How much of the extent goes into one window.
    pub(super) block: usize,
    /// The caller's dimension; the innermost one of those that were merged.
    pub(super) axis: usize,
}

impl Dim {
    pub(super) const UNIT: Self = Self { extent: 1, src: 0, dst: 0, block: 1, axis: 0 };
}

/// Up to three pieces.
#[derive(Clone, Copy, Default)]
pub(super) struct Pieces {
    pieces: [Option<Piece>; 3],
}

impl Pieces {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Piece> {
        self.pieces.iter_mut().flatten()
    }
}

impl fmt::Debug for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Piece")
            .field("kernel", &self.kernel)
            .field("dims", &self.dims())
            .finish_non_exhaustive()
    }
}

impl Piece {
    pub(super) fn dims(&self) -> &[Dim] {
        &self.dims[..self.rank]
    }

    pub(super) fn dims_mut(&mut self) -> &mut [Dim] {
        &mut self.dims[..self.rank]
    }

    /// The whole index space, which is not empty. Its dimensions are outermost first: no extent of 1, no negative
    /// destination stride, no two dimensions that are one, the destination's smallest stride last.
    pub(super) fn collapsed(src: &Layout, dst: &Layout) -> Self {
        let mut piece = Self {
            kernel: Kernel::Strided,
            rank: 0,
            dims: [Dim::UNIT; MAX_RANK],
            starts: [src.offset(), dst.offset()],
            lead: 0,
        };
        for (axis, &extent) in dst.shape().iter().enumerate() {
            if extent > 1 {
                piece.insert(Dim {
                    extent,
                    src: src.strides()[axis],
                    dst: dst.strides()[axis],
                    block: extent,
                    axis,
                });
            }
        }
        piece.merge();
        piece
    }

    /// Adds a dimension at its place, running upwards in dst.
    fn insert(&mut self, mut dim: Dim) {
        if dim.dst < 0 {
            let last = (dim.extent - 1).cast_signed();
            self.starts[0] = self.starts[0].wrapping_add_signed(dim.src.wrapping_mul(last));
            self.starts[1] = self.starts[1].wrapping_add_signed(dim.dst.wrapping_mul(last));
            (dim.src, dim.dst) = (dim.src.wrapping_neg(), -dim.dst);
        }
        // Few and nearly sorted: insertion.
        let at = self.dims().partition_point(|other| other.dst >= dim.dst);
        self.dims.copy_within(at..self.rank, at + 1);
        self.dims[at] = dim;
        self.rank += 1;
    }

    /// Makes one dimension of neighbours that run on into each other on both sides.
    fn merge(&mut self) {
        let mut merged = 0;
        for d in 1..self.rank {
            let (outer, inner) = (self.dims[merged], self.dims[d]);
            let extent = inner.extent.cast_signed();
            if inner.src.checked_mul(extent) == Some(outer.src)
                && inner.dst.checked_mul(extent) == Some(outer.dst)
            {
                let extent = outer.extent * inner.extent;
                self.dims[merged] = Dim { extent, block: extent, ..inner };
            } else {
                merged += 1;
                self.dims[merged] = inner;
            }
        }
        self.rank = self.rank.min(merged + 1);
        self.dims[self.rank..].fill(Dim::UNIT);
    }

    /// The piece with a range of one dimension's indices.
    fn slice(mut self, d: usize, first: usize, extent: usize) -> Self {
        let dim = &mut self.dims[d];
        (dim.extent, dim.block) = (extent, extent);
        let along = |stride: isize| stride.wrapping_mul(first.cast_signed());
        let starts = [along(dim.src), along(dim.dst)];
        self.starts = [0, 1].map(|i| self.starts[i].wrapping_add_signed(starts[i]));
        if extent == 1 {
            self.dims.copy_within(d + 1..self.rank, d);
            self.rank -= 1;
            self.merge();
        }
        self
    }

    /// Dimensions but the innermost, where each is a row.
    pub(super) fn outer(&self) -> &[Dim] {
        &self.dims[..self.rank.saturating_sub(1)]
    }

    /// Whether every word of src and dst holds a line, at one place.
    pub(super) fn same_place_in_words(&self, line: &Dim, lanes: usize) -> bool {
        let word = lanes.cast_signed();
        [line.src, line.dst] == [word, word]
            && self.starts[0] % lanes == self.starts[1] % lanes
            && self.dims().iter().filter(|dim| dim.dst > word).all(|dim| dim.src % word == 0)
    }

    /// Whether starts and all strides of `outer` are multiples of `n` elements on one side: 0 for src, 1 for dst.
    pub(super) fn aligned(&self, side: usize, n: usize, outer: &[Dim]) -> bool {
        self.starts[side].is_multiple_of(n) && Self::same_phase(side, n, outer)
    }

    /// Whether all strides of `outer` are multiples of `n` elements on one side: 0 for src, 1 for dst.
    pub(super) fn same_phase(side: usize, n: usize, outer: &[Dim]) -> bool {
        outer.iter().all(|dim| [dim.src, dim.dst][side].unsigned_abs().is_multiple_of(n))
    }
}

impl Plan {
    /// One piece, with the kernel that suits it best.
    pub(super) fn whole(&self, piece: &Piece) -> Pieces {
        Pieces { pieces: [Some(self.with_kernel(piece)), None, None] }
    }

    /// The piece with the kernel that suits it best.
    fn with_kernel(&self, piece: &Piece) -> Piece {
        let mut piece = *piece;
        let size = self.clamp.dtype().size();
        let (packet, lanes) = (PACKET / size, 4_usize.div_ceil(size));
        // In elements: how far behind a packet's start src and dst begin.
        let [src, dst] = piece.starts.map(|start| start % packet);
        if piece.rank <= 1 && piece.dims().iter().all(|dim| (dim.src, dim.dst) == (1, 1)) && src == dst {
            piece.kernel = Kernel::Contiguous;
            piece.lead = dst;
            piece.dims_mut().iter_mut().for_each(|dim| dim.block += dst);
            return piece;
        }
        let rows = piece.dims().last().filter(|dim| dim.dst == 1).copied();
        piece.kernel = match rows {
            Some(Dim { src: 1, extent, .. }) if self.packets_pay(&piece, extent) => Kernel::Rows,
            Some(Dim { src: 0, extent, .. })
                if self.placement == Placement::TwoBuffers && self.packets_pay(&piece, extent) =>
            {
                Kernel::Fill
            }
            Some(_) if lanes > 1 => Kernel::Words,
            None if lanes > 1 && Piece::same_phase(1, lanes, piece.dims()) => Kernel::Words,
            _ => Kernel::Strided,
        };
        piece
    }

    /// Whether rows of `length` elements are long enough for packets. Where they do not fall on packets, each has two
    /// edges, which cost as much as a few packets.
    fn packets_pay(&self, piece: &Piece, length: usize) -> bool {
        let size = self.clamp.dtype().size();
        let packet = PACKET / size;
        let whole = piece.aligned(1, packet, piece.outer()) && length.is_multiple_of(packet);
        length >= if whole { packet } else { 8 * packet }
    }

    /// Squares of packets and what is left beside them, where the fastest dimensions differ and all else falls on
    /// packets. A long element would be inlined for each packet of the square, hence none with an exact step.
    pub(super) fn transposed(&self, piece: &Piece) -> Option<Pieces> {
        let packet = PACKET / self.clamp.dtype().size();
        // Below this the single elements do as well.
        let enough = 4 * packet;
        let along_dst = piece.rank.checked_sub(1)?;
        let along_src = piece.dims().iter().position(|dim| dim.src == 1)?;
        let (a, b) = (piece.dims[along_dst], piece.dims[along_src]);
        if a.dst != 1 || a.src == 0 || along_src == along_dst || a.extent.min(b.extent) < enough {
            return None;
        }
        let but =
            |d: usize| piece.dims().iter().enumerate().filter(move |&(e, _)| e != d).map(|(_, dim)| dim);
        let aligned = piece.starts.iter().all(|start| start.is_multiple_of(packet))
            && but(along_src).all(|dim| dim.src.unsigned_abs().is_multiple_of(packet))
            && but(along_dst).all(|dim| dim.dst.unsigned_abs().is_multiple_of(packet));
        if !aligned || self.step() == AffineStep::Exact {
            return None;
        }
        let whole = |extent: usize| extent / packet * packet;
        let mut pieces = Pieces::default();
        let mut squares = piece.slice(along_dst, 0, whole(a.extent)).slice(along_src, 0, whole(b.extent));
        squares.kernel = Kernel::Transposed;
        pieces.pieces[0] = Some(squares);
        let mut rest = |slot: usize, piece: Piece| pieces.pieces[slot] = Some(self.with_kernel(&piece));
        if whole(b.extent) < b.extent {
            rest(1, piece.slice(along_src, whole(b.extent), b.extent - whole(b.extent)));
        }
        if whole(a.extent) < a.extent {
            let beside = piece.slice(along_src, 0, whole(b.extent));
            rest(2, beside.slice(along_dst, whole(a.extent), a.extent - whole(a.extent)));
        }
        Some(pieces)
    }

    /// Whole packets of dst in whose words some elements change, the same in each, and what is left beside them. Lines in
    /// src follow one another without a gap, or in words as in dst.
    pub(super) fn spread(&self, piece: &Piece) -> Option<Pieces> {
        let size = self.clamp.dtype().size();
        let (packet, lanes) = (PACKET / size, 4_usize.div_ceil(size));
        let dims = piece.dims();
        let row = dims.last().filter(|dim| (dim.src, dim.dst) == (1, 1));
        let length = row.map_or(1, |dim| dim.extent);
        let along = dims.len().checked_sub(1 + usize::from(row.is_some()))?;
        let (line, outer) = (dims[along], &dims[..along]);
        let in_words = line.dst == lanes.cast_signed() && piece.starts[1] % lanes + length <= lanes;
        let near = [length, lanes].map(usize::cast_signed).contains(&line.src);
        if lanes == 1 || !in_words || !near || !Piece::same_phase(1, packet, outer) {
            return None;
        }
        let in_place = piece.starts[0] == piece.starts[1] && dims.iter().all(|dim| dim.src == dim.dst);
        // In one buffer, words of dst may hold elements of src that others read.
        if self.placement == Placement::OneBuffer && !in_place {
            return None;
        }
        let per_packet = packet / lanes;
        let head = (per_packet - piece.starts[1] / lanes % per_packet) % per_packet;
        let rest = line.extent.checked_sub(head)?;
        // Where lines do not end at packets in src, the last packet takes lines behind it.
        let pitch = line.src.unsigned_abs();
        let begin = if piece.same_place_in_words(&line, lanes) { piece.starts[1] % lanes } else { 0 };
        let first = piece.starts[0] + head * pitch - begin;
        let aligned = first.is_multiple_of(packet) && Piece::same_phase(0, packet, outer);
        let behind = if aligned { 0 } else { packet.div_ceil(pitch) };
        let whole = rest.saturating_sub(behind) / SPREAD_LINES * SPREAD_LINES;
        // Below this the words do as well.
        if whole < 4 * SPREAD_LINES {
            return None;
        }
        let mut pieces = Pieces::default();
        let mut body = piece.slice(along, head, whole);
        body.kernel = Kernel::Spread;
        pieces.pieces[0] = Some(body);
        for (slot, first, extent) in [(1, 0, head), (2, head + whole, rest - whole)] {
            if extent > 0 {
                pieces.pieces[slot] = Some(self.with_kernel(&piece.slice(along, first, extent)));
            }
        }
        Some(pieces)
    }
}
