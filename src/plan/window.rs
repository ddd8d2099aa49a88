//! Cutting a plan into windows: parts that one binding per operand reaches and one grid covers.

use super::{Dim, PACKET, Plan};
use crate::params::{Block, ContiguousGeometry, StridedGeometry};
use crate::shader::{EntryPoint, Kernel, PACKETS_PER_INVOCATION, Placement, WORKGROUP_SIZE};
use crate::{Error, Limits, MAX_RANK};

/// The most windows that a plan may have.
const MAX_WINDOWS: usize = 65_536;

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
    pub(crate) placement: Placement,
    /// With [`Placement::OneBuffer`], the range for both.
    pub(crate) src: Range,
    pub(crate) dst: Range,
    pub(super) geometry: Geometry,
    dispatches: [Option<Dispatch>; 2],
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Geometry {
    Contiguous(ContiguousGeometry),
    Strided(StridedGeometry),
}

/// One `dispatch_workgroups`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dispatch {
    pub(crate) entry_point: EntryPoint,
    /// Workgroups along x and y.
    pub(crate) grid: [u32; 2],
}

impl Window {
    pub(crate) fn dispatches(&self) -> impl Iterator<Item = Dispatch> {
        self.dispatches.iter().flatten().copied()
    }
}

/// A part of the index space: where it starts in src and dst, and its extents.
#[derive(Clone, Copy)]
struct Part {
    starts: [usize; 2],
    extents: [usize; MAX_RANK],
}

impl Plan {
    /// Chooses the blocks, so that each fits into the device's bindings and its grid.
    pub(super) fn cut(&mut self, in_place: bool) -> Result<(), Error> {
        let whole = self.part(0);
        if self.bind(&whole).is_some() && self.count(&whole) <= self.max_count() {
            return Ok(());
        }
        // What a binding holds for sure: its start is rounded down, its end up.
        let slack = alignment(self.limits) + 4;
        let mut room = binding_limit(self.limits).saturating_sub(slack);
        if self.placement == Placement::OneBuffer && !in_place {
            // Half of a binding each: two windows of src and dst that share words then fit into one.
            room = (binding_limit(self.limits) / 2).saturating_sub(slack);
        }
        let size = self.clamp.dtype().size();
        let mut room = usize::try_from(room).unwrap_or(usize::MAX) / size;
        let mut most = usize::try_from(self.max_count()).unwrap_or(usize::MAX);
        if self.kernel == Kernel::Contiguous {
            let packet = PACKET / size;
            (room, most) = (room / packet * packet, most / packet * packet);
        }
        if room == 0 || most == 0 {
            return Err(Error::DeviceLimit {
                limit_name: "max_storage_buffer_binding_size",
                needed: 4 * slack,
                limit: self.limits.max_binding_size,
            });
        }
        while let Some((d, block)) = self.too_long(room, most) {
            self.dims[d].block = block;
        }
        let total = self.dims().iter().try_fold(1_usize, |total, dim| total.checked_mul(self.blocks(dim)));
        if total.is_none_or(|total| total > MAX_WINDOWS) {
            let blame = self.dims().iter().max_by_key(|dim| self.blocks(dim)).unwrap_or(&Dim::UNIT);
            return Err(Error::TooManyWindows {
                axis: blame.axis,
                windows: total.unwrap_or(usize::MAX),
                limit: MAX_WINDOWS,
            });
        }
        Ok(())
    }

    /// The dimension that reaches furthest in an operand whose blocks do not fit into `room` elements, or the
    /// outermost one where a block has more than `most` elements; with the block that would fit, or is 1.
    fn too_long(&self, room: usize, most: usize) -> Option<(usize, usize)> {
        let strides: [fn(&Dim) -> usize; 2] = [|dim| dim.dst.unsigned_abs(), |dim| dim.src.unsigned_abs()];
        for stride in strides {
            let reach = |dim: &Dim| (dim.block - 1) * stride(dim);
            let total: usize = self.dims().iter().map(reach).sum();
            if total >= room {
                let (d, dim) = self.dims().iter().enumerate().max_by_key(|(_, dim)| reach(dim))?;
                let others = total - reach(dim);
                return Some((d, 1 + (room - 1).saturating_sub(others) / stride(dim)));
            }
        }
        let count: usize = self.dims().iter().map(|dim| dim.block).product();
        if count > most {
            let (d, dim) = self.dims().iter().enumerate().find(|(_, dim)| dim.block > 1)?;
            return Some((d, (most / (count / dim.block)).max(1)));
        }
        None
    }

    /// The windows, each computed when asked for.
    pub(crate) fn windows(&self) -> impl Iterator<Item = Window> {
        (0..self.window_count()).map(|n| self.window(n))
    }

    pub(super) fn window_count(&self) -> usize {
        if self.dims[0].extent == 0 {
            return 0;
        }
        self.dims().iter().map(|dim| self.blocks(dim)).product()
    }

    /// How many blocks a dimension is cut into.
    fn blocks(&self, dim: &Dim) -> usize {
        (dim.extent + self.lead).div_ceil(dim.block)
    }

    /// The uniform block of `window`.
    pub(crate) fn params(&self, window: &Window) -> Block {
        match &window.geometry {
            Geometry::Contiguous(geometry) => Block::new(geometry, &self.clamp),
            Geometry::Strided(geometry) => Block::new(geometry, &self.clamp),
        }
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

    fn count(&self, part: &Part) -> u64 {
        part.extents[..self.rank].iter().map(|&extent| extent as u64).product()
    }

    /// The most elements that the largest grid covers.
    fn max_count(&self) -> u64 {
        let workgroups = u64::from(self.limits.max_workgroups_per_dimension).pow(2);
        workgroups.saturating_mul(self.per_workgroup())
    }

    /// Elements that a workgroup takes.
    fn per_workgroup(&self) -> u64 {
        let elements = match self.kernel {
            Kernel::Strided => 1,
            Kernel::Contiguous => PACKETS_PER_INVOCATION as usize * PACKET / self.clamp.dtype().size(),
        };
        u64::from(WORKGROUP_SIZE) * elements as u64
    }

    /// The bindings that reach a part; `None` if one would be too long.
    fn bind(&self, part: &Part) -> Option<(Placement, Range, Range)> {
        let size = self.clamp.dtype().size() as u64;
        let span = |start: usize, stride: fn(&Dim) -> isize| {
            let (mut lowest, mut highest) = (start, start);
            for (dim, extent) in self.dims().iter().zip(part.extents) {
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
        let apart =
            |placement| Some((placement, range(src, size, self.limits)?, range(dst, size, self.limits)?));
        match self.placement {
            Placement::TwoBuffers => apart(Placement::TwoBuffers),
            Placement::OneBuffer | Placement::TwoRanges => {
                let both = range((src.0.min(dst.0), src.1.max(dst.1)), size, self.limits);
                let both = both.map(|both| (Placement::OneBuffer, both, both));
                both.or_else(|| {
                    let (placement, src, dst) = apart(Placement::TwoRanges)?;
                    let disjoint = src.offset + src.size <= dst.offset || dst.offset + dst.size <= src.offset;
                    disjoint.then_some((placement, src, dst))
                })
            }
        }
    }

    fn window(&self, n: usize) -> Window {
        let part = self.part(n);
        let (placement, src, dst) = self.bind(&part).expect("`cut` has chosen blocks that fit");
        let size = self.clamp.dtype().size() as u64;
        // In bytes from the start of the binding, which is less than 2^31 long.
        let src_byte = (part.starts[0] as u64 * size - src.offset) as u32;
        let dst_byte = (part.starts[1] as u64 * size - dst.offset) as u32;
        let count = self.count(&part);
        let grid = |workgroups| grid(workgroups, self.limits);
        let (geometry, dispatches) = match self.kernel {
            Kernel::Contiguous => {
                let packet = PACKET as u32;
                let end = dst_byte + (count * size) as u32;
                let first = dst_byte.div_ceil(packet);
                let whole = (end / packet).saturating_sub(first);
                let per_workgroup = u64::from(WORKGROUP_SIZE * PACKETS_PER_INVOCATION);
                let body = Dispatch {
                    entry_point: EntryPoint::Body,
                    grid: grid(u64::from(whole).div_ceil(per_workgroup)),
                };
                let geometry = ContiguousGeometry {
                    first,
                    count: whole,
                    src_shift: (src_byte / packet).wrapping_sub(dst_byte / packet),
                    row: body.grid[0],
                    begin: dst_byte,
                    end,
                };
                let edges = Dispatch { entry_point: EntryPoint::Edges, grid: [1, 1] };
                let ragged = !(dst_byte.is_multiple_of(packet) && end.is_multiple_of(packet));
                (Geometry::Contiguous(geometry), [(whole > 0).then_some(body), ragged.then_some(edges)])
            }
            Kernel::Strided => {
                let grid = grid(count.div_ceil(u64::from(WORKGROUP_SIZE)));
                let mut dims = [[1, 0, 0, 0]; MAX_RANK];
                let sized = self.dims().iter().zip(part.extents);
                for (slot, (dim, extent)) in dims[..self.rank].iter_mut().rev().zip(sized) {
                    // Modulo 2^32, as the shader adds them up; the sums lie in the binding.
                    *slot = [extent as u32, dim.src as u32, dim.dst as u32, 0];
                }
                let geometry = StridedGeometry {
                    dims,
                    rank: self.rank as u32,
                    count: count as u32,
                    src_start: src_byte / size as u32,
                    dst_start: dst_byte / size as u32,
                    row: grid[0],
                };
                let dispatch = Dispatch { entry_point: EntryPoint::Strided, grid };
                (Geometry::Strided(geometry), [Some(dispatch), None])
            }
        };
        Window { placement, src, dst, geometry, dispatches }
    }
}

fn binding_limit(limits: Limits) -> u64 {
    limits.max_binding_size.min(MAX_BINDING)
}

fn alignment(limits: Limits) -> u64 {
    limits.binding_alignment.max(PACKET as u64)
}

/// The binding that reaches the elements `span`, both ends inclusive; `None` if it would be too long.
pub(crate) fn range(span: (usize, usize), size: u64, limits: Limits) -> Option<Range> {
    let first = span.0 as u128 * u128::from(size);
    let end = ((span.1 as u128 + 1) * u128::from(size)).next_multiple_of(4);
    let offset = first - first % u128::from(alignment(limits));
    let range = Range { offset: offset.try_into().ok()?, size: (end - offset).try_into().ok()? };
    (range.size <= binding_limit(limits)).then_some(range)
}

/// A near-square grid of at least `workgroups`, or one row of them while they fit.
pub(super) fn grid(workgroups: u64, limits: Limits) -> [u32; 2] {
    let most = u64::from(limits.max_workgroups_per_dimension.max(1));
    let rows = if workgroups <= most { 1 } else { workgroups.isqrt().max(workgroups.div_ceil(most)) };
    let columns = workgroups.div_ceil(rows);
    [columns as u32, workgroups.div_ceil(columns.max(1)) as u32]
}
