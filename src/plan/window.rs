//! Cutting a plan into windows: parts that one binding per operand reaches and one grid covers.

use super::geometry::{Cut, Dispatch, Dispatches, Geometry, Part, ROW_EDGES, SPREAD_LINES};
use super::piece::{Dim, Piece, Pieces};
use super::{PACKET, Plan};
use crate::arithmetic::Block;
use crate::shader::{EntryPoint, Kernel, PACKETS_PER_INVOCATION, Placement, WORKGROUP_SIZE};
use crate::{Error, Limits, MAX_RANK};

/// The most dispatches that a plan may have, if each window took all that its kernel may.
const MAX_DISPATCHES: usize = 65_536;

/// The most that a window may have.
const fn dispatches(kernel: Kernel) -> usize {
    match kernel {
        Kernel::Contiguous => 2,
        Kernel::Rows | Kernel::Fill => 3,
        Kernel::Transposed | Kernel::Spread | Kernel::Words | Kernel::Strided => 1,
    }
}

/// Bindings end at whole words, as buffers do, in bytes.
pub(crate) const WORD: u64 = 4;

/// What a binding of src ends at a multiple of, in bytes. `spread` loads whole packets; the lines behind its last ones
/// are in the buffer.
const fn loads(kernel: Kernel) -> u64 {
    match kernel {
        Kernel::Spread => PACKET as u64,
        _ => WORD,
    }
}

/// What Vulkan and DX12 can bind, whatever a device claims, in bytes.
const MAX_BINDING: u64 = (1 << 31) - 4;

/// A part of a buffer, in bytes. The offset suits a binding, the size is a multiple of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// What one bind group reaches, and the dispatches that work on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) kernel: Kernel,
    pub(crate) placement: Placement,
    /// With [`Placement::OneBuffer`], the range for both.
    pub(crate) src: Range,
    pub(crate) dst: Range,
    pub(super) geometry: Geometry,
    dispatches: Dispatches,
}

impl Window {
    pub(crate) fn dispatches(&self) -> impl Iterator<Item = Dispatch> {
        self.dispatches.iter().flatten().copied()
    }
}

/// What cutting goes by, in elements.
#[derive(Clone, Copy)]
struct Room {
    /// A window's reach on either side.
    reach: usize,
    /// A window's elements.
    count: usize,
}

impl Plan {
    /// Chooses the blocks of each piece, so that each fits into the device's bindings and its grid.
    pub(super) fn cut_all(&self, mut pieces: Pieces, in_place: bool) -> Result<Pieces, Error> {
        let mut total = 0_usize;
        for piece in pieces.iter_mut() {
            self.cut(piece, in_place)?;
            let windows =
                piece.dims().iter().try_fold(1_usize, |total, dim| total.checked_mul(piece.blocks(dim)));
            total = total.saturating_add(windows.unwrap_or(usize::MAX));
            if total.saturating_mul(dispatches(piece.kernel)) > MAX_DISPATCHES {
                let blame = piece.dims().iter().max_by_key(|dim| piece.blocks(dim)).unwrap_or(&Dim::UNIT);
                return Err(Error::TooManyWindows {
                    axis: blame.axis,
                    windows: total,
                    limit: MAX_DISPATCHES / dispatches(piece.kernel),
                });
            }
        }
        Ok(pieces)
    }

    fn cut(&self, piece: &mut Piece, in_place: bool) -> Result<(), Error> {
        let size = self.clamp.dtype().size();
        let kernel = piece.kernel;
        let count = self.max_count(kernel);
        let whole = piece.part(0);
        if self.bind(piece, &whole).is_some() && piece.count(&whole) <= count {
            return Ok(());
        }
        // What a binding holds for sure: its start is rounded down, its end up.
        let slack = alignment(self.limits).saturating_add(loads(kernel));
        let mut reach = binding_limit(self.limits).saturating_sub(slack);
        if self.placement == Placement::OneBuffer && !in_place {
            // Half of a binding each: two windows of src and dst that share words then fit into one.
            reach = (binding_limit(self.limits) / 2).saturating_sub(slack);
        }
        let unit = match piece.kernel {
            Kernel::Contiguous | Kernel::Transposed => PACKET / size,
            Kernel::Spread => SPREAD_LINES,
            _ => 1,
        };
        let in_units = |dim: &Dim| match kernel {
            Kernel::Spread => dim.dst == (4 / size).cast_signed(),
            _ => dim.src == 1 || dim.dst == 1,
        };
        let room = |n: u64| usize::try_from(n).unwrap_or(usize::MAX) / unit * unit;
        let room = Room { reach: room(reach / size as u64), count: room(count) };
        if room.reach == 0 || room.count == 0 {
            return Err(Error::DeviceLimit {
                limit_name: "max_storage_buffer_binding_size",
                needed: slack.saturating_mul(4),
                limit: self.limits.max_binding_size,
            });
        }
        while let Some((d, block)) = piece.too_long(room) {
            let dim = &mut piece.dims_mut()[d];
            let unit = if in_units(dim) { unit } else { 1 };
            if block < unit {
                // Squares of packets, or lines in packets: without them there is another way.
                return Err(Error::TooManyWindows {
                    axis: dim.axis,
                    windows: usize::MAX,
                    limit: MAX_DISPATCHES,
                });
            }
            dim.block = block / unit * unit;
        }
        Ok(())
    }

    /// The windows, each computed when asked for.
    pub(crate) fn windows(&self) -> impl Iterator<Item = Window> {
        self.pieces.iter().flat_map(|piece| (0..piece.window_count()).map(|n| self.window(piece, n)))
    }

    pub(crate) fn window_count(&self) -> usize {
        self.pieces.iter().map(Piece::window_count).sum()
    }

    /// The uniform block of `window`.
    pub(crate) fn params(&self, window: &Window) -> Block {
        match &window.geometry {
            Geometry::Contiguous(geometry) => {
                Block::new(geometry, &self.clamp, self.step(), self.fixed.as_ref())
            }
            Geometry::Walk(geometry) => Block::new(geometry, &self.clamp, self.step(), self.fixed.as_ref()),
        }
    }

    /// The most elements that the largest grid of a kernel covers for sure, and that its numbers can count.
    fn max_count(&self, kernel: Kernel) -> u64 {
        let size = self.clamp.dtype().size() as u64;
        let workgroups = u64::from(self.limits.max_workgroups_per_dimension).pow(2);
        let invocations = workgroups.saturating_mul(WORKGROUP_SIZE.into());
        match kernel {
            Kernel::Contiguous => {
                invocations.saturating_mul(u64::from(PACKETS_PER_INVOCATION) * PACKET as u64 / size)
            }
            // A window may be as narrow as one square in each workgroup.
            Kernel::Transposed => {
                workgroups.saturating_mul((PACKET as u64 / size).pow(2)).min(i32::MAX as u64)
            }
            Kernel::Spread | Kernel::Strided | Kernel::Words => invocations.min(i32::MAX as u64),
            // A window may be as narrow as an element in each row, whose edges take 16 invocations.
            Kernel::Rows | Kernel::Fill => invocations.min(i32::MAX as u64) / ROW_EDGES,
        }
    }

    /// The bindings that reach a part; `None` if one would be too long.
    fn bind(&self, piece: &Piece, part: &Part) -> Option<(Placement, Range, Range)> {
        let size = self.clamp.dtype().size() as u64;
        let span = |start: usize, stride: fn(&Dim) -> isize| {
            let (mut lowest, mut highest) = (start, start);
            for (dim, extent) in piece.dims().iter().zip(part.extents) {
                let reach = (extent - 1) * stride(dim).unsigned_abs();
                if stride(dim) < 0 {
                    lowest -= reach;
                } else {
                    highest += reach;
                }
            }
            (lowest, highest)
        };
        let src = span(part.starts[0], |dim| dim.src);
        let dst = span(part.starts[1], |dim| dim.dst);
        let apart = |placement| {
            let src = range(src, size, loads(piece.kernel), self.limits)?;
            Some((placement, src, range(dst, size, WORD, self.limits)?))
        };
        match self.placement {
            Placement::TwoBuffers => apart(Placement::TwoBuffers),
            Placement::OneBuffer | Placement::TwoRanges => {
                let both = range((src.0.min(dst.0), src.1.max(dst.1)), size, WORD, self.limits);
                let both = both.map(|both| (Placement::OneBuffer, both, both));
                both.or_else(|| {
                    let (placement, src, dst) = apart(Placement::TwoRanges)?;
                    let disjoint = src.offset + src.size <= dst.offset || dst.offset + dst.size <= src.offset;
                    disjoint.then_some((placement, src, dst))
                })
            }
        }
    }

    fn window(&self, piece: &Piece, n: usize) -> Window {
        let part = piece.part(n);
        let (placement, src, dst) = self.bind(piece, &part).expect("`cut` has chosen blocks that fit");
        let size = self.clamp.dtype().size() as u64;
        // In bytes from the start of the binding, which is less than 2^31 long.
        let starts = [part.starts[0] as u64 * size - src.offset, part.starts[1] as u64 * size - dst.offset];
        let cut =
            Cut { piece, part: &part, size, starts: starts.map(|start| start as u32), limits: self.limits };
        let (geometry, dispatches) = match piece.kernel {
            Kernel::Contiguous => cut.contiguous(),
            Kernel::Rows => cut.rows(EntryPoint::Rows, src.size),
            Kernel::Fill => cut.rows(EntryPoint::Fill, u64::MAX),
            Kernel::Transposed => cut.transposed(),
            Kernel::Spread => cut.spread(),
            Kernel::Words => cut.words(),
            Kernel::Strided => cut.strided(),
        };
        Window { kernel: piece.kernel, placement, src, dst, geometry, dispatches }
    }
}

impl Piece {
    /// How many blocks a dimension is cut into.
    fn blocks(&self, dim: &Dim) -> usize {
        (dim.extent + self.lead).div_ceil(dim.block)
    }

    fn window_count(&self) -> usize {
        self.dims().iter().map(|dim| self.blocks(dim)).product()
    }

    /// The `n`-th block in row-major order.
    fn part(&self, mut n: usize) -> Part {
        let mut part = Part { starts: self.starts, extents: [1; MAX_RANK] };
        for (d, dim) in self.dims().iter().enumerate().rev() {
            let blocks = self.blocks(dim);
            let block = n % blocks;
            n /= blocks;
            let first = (block * dim.block).saturating_sub(self.lead);
            let end = ((block + 1) * dim.block - self.lead).min(dim.extent);
            part.extents[d] = end - first;
            // No overflow that matters: the sums are addresses of elements.
            let along = |stride: isize| stride.wrapping_mul(first.cast_signed());
            part.starts[0] = part.starts[0].wrapping_add_signed(along(dim.src));
            part.starts[1] = part.starts[1].wrapping_add_signed(along(dim.dst));
        }
        part
    }

    /// The elements of a part.
    pub(super) fn count(&self, part: &Part) -> u64 {
        part.extents[..self.dims().len()].iter().map(|&extent| extent as u64).product()
    }

    /// The dimension that reaches furthest in an operand whose blocks do not fit into the room, or the
    /// outermost one where a block has too many elements; with the block that would fit, or is 1.
    fn too_long(&self, room: Room) -> Option<(usize, usize)> {
        let strides: [fn(&Dim) -> usize; 2] = [|dim| dim.dst.unsigned_abs(), |dim| dim.src.unsigned_abs()];
        for stride in strides {
            let reach = |dim: &Dim| (dim.block - 1) * stride(dim);
            let total: usize = self.dims().iter().map(reach).sum();
            if total >= room.reach {
                let (d, dim) = self.dims().iter().enumerate().max_by_key(|(_, dim)| reach(dim))?;
                let others = total - reach(dim);
                return Some((d, 1 + (room.reach - 1).saturating_sub(others) / stride(dim)));
            }
        }
        let count: usize = self.dims().iter().map(|dim| dim.block).product();
        if count > room.count {
            let (d, dim) = self.dims().iter().enumerate().find(|(_, dim)| dim.block > 1)?;
            return Some((d, (room.count / (count / dim.block)).max(1)));
        }
        None
    }
}

fn binding_limit(limits: Limits) -> u64 {
    limits.max_binding_size.min(MAX_BINDING)
}

fn alignment(limits: Limits) -> u64 {
    limits.binding_alignment.max(PACKET as u64)
}

/// The binding that reaches the elements `span`, both ends inclusive, and ends at a multiple of `unit` bytes; `None` if it
/// would be too long.
pub(crate) fn range(span: (usize, usize), size: u64, unit: u64, limits: Limits) -> Option<Range> {
    let first = span.0 as u128 * u128::from(size);
    let end = ((span.1 as u128 + 1) * u128::from(size)).next_multiple_of(unit.into());
    let offset = first - first % u128::from(alignment(limits));
    let range = Range { offset: offset.try_into().ok()?, size: (end - offset).try_into().ok()? };
    (range.size <= binding_limit(limits)).then_some(range)
}
