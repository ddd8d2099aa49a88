//! Boxes: one or more packets or words of dst, where src and dst disagree about what is adjacent, or where channels differ
//! within a packet. The host's half of `kernel/boxes.wgsl` and `kernel/squares.wgsl`.

use bytemuck::Zeroable;

use super::grow::{Growth, fastest, most_shared};
use super::piece::{Along, Order, Piece, Reads, Stores, Stride};
use super::region::{DST, Region, SRC};
use super::thresholds::{LEAST_APART, is_sparse};
use super::walk::{BoundTile, Loop, Walk, rank_of};
use super::{
    Candidate, Constant, Dispatch, EntryPoint, Kernel, Launch, PACKET, Placement, Task, Tiling, WORD,
    WORKGROUP_SIZE,
};
use crate::MAX_RANK;
use crate::fragment::mirrors;

/// The side of a square of boxes: a workgroup takes 16 by 16 boxes, unless one side of the tile is short.
const SQUARE: u64 = 16;

mirrors! {
    /// Mirrors `Geometry` in `kernel/boxes.wgsl`.
    struct Geometry {
        walk: Walk,
        src_pitch: [u32; 4],
        dst_pitch: [u32; 4],
        steps: [u32; 4],
        counts: [u32; 4],
    }
}

/// How boxes are cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Boxes {
    /// The fewest elements that fill packets or words of dst.
    Narrow,
    /// Widened in src.
    Wide,
    /// As [`Wide`](Boxes::Wide), but loads packets of src past the last element. Elements that follow there are left to
    /// another kernel.
    Past,
    /// The same channels of `count` pixels, far apart, along this dimension.
    Shared { d: usize, count: usize },
}

impl Piece {
    /// Elements from the first to the last of the box on one side, both included; `None` if a stride is far.
    fn span(&self, side: usize) -> Option<usize> {
        let reach = |dim: &Along| match dim.strides[side] {
            Stride::Near(stride) => Some(usize::from(stride.unsigned_abs()) * usize::from(dim.extent - 1)),
            Stride::Far => None,
        };
        self.dims().iter().map(reach).sum::<Option<usize>>().map(|reach| reach + 1)
    }

    /// Whether the box loads words of src between which it leaves gaps that dst has not.
    pub(super) fn loads_sparsely(&self) -> bool {
        let [src, dst] = [SRC, DST].map(|side| self.span(side));
        let used = dst.unwrap_or_default().max(self.len());
        self.order == Order::Line && !self.by_packets() && src.is_some_and(|src| is_sparse(used, src))
    }

    /// Adjacent packets of dst in a row of the box, or adjacent words of one element; 1 if it leaves gaps. `keeps`: whether
    /// packets also have bytes to preserve.
    fn adjacent(&self, keeps: bool) -> usize {
        let near = self.dims().iter().filter_map(|dim| match dim.strides[DST] {
            Stride::Near(stride) => Some((usize::from(stride.unsigned_abs()), usize::from(dim.extent))),
            Stride::Far => None,
        });
        let (mut reach, mut elements) = (1, 1);
        for (stride, extent) in near {
            (reach, elements) = (reach + stride * (extent - 1), elements * extent);
        }
        let gapless = reach == elements || keeps;
        let gaps_matter = self.stores == Stores::Packets || self.size(DST) == WORD;
        if gapless && gaps_matter { reach.div_ceil(self.per_store()) } else { 1 }
    }

    /// Whether a workgroup exchanges the packets of boxes: memory holds those of a workgroup. In one buffer, an invocation
    /// could load what another has stored. On a CPU, memory is shared anyway.
    fn exchanges(&self, task: &Task) -> bool {
        let bytes = WORKGROUP_SIZE as usize * (self.round() * PACKET + WORD);
        !task.limits.cpu
            && task.placement != Placement::OneBuffer
            && bytes <= task.limits.max_workgroup_memory as usize
    }

    /// Boxes for a region or most of it, from those that fill packets or words with the fewest elements.
    pub(super) fn boxes(
        task: &Task,
        region: &Region,
        mut growth: Growth<'_>,
        boxes: Boxes,
    ) -> Option<Candidate> {
        let Growth { dims, d, keeps, ahead: (first, lead), .. } = growth;
        let along = dims[d];
        let past_src = boxes == Boxes::Past;
        match boxes {
            Boxes::Narrow => {}
            Boxes::Shared { d: e, count } => growth.extents[e] = count,
            Boxes::Wide | Boxes::Past => growth.widen(),
        }
        // Pixels beyond whole boxes are left to another kernel. One more pixel is left if the last packet of dst, whose other
        // bytes are kept, would extend past the last element.
        let reach = (growth.extents[d] - 1) * along.dst.unsigned_abs();
        let behind_last = (lead + growth.pixel_len(d) + reach) * growth.sizes[DST];
        let past_dst = keeps && !behind_last.next_multiple_of(WORD).is_multiple_of(PACKET);
        let behind = if past_src { growth.packet_past()? } else { 0 }.max(past_dst.into());
        let uncut = along.extent.checked_sub(first + behind)?;
        let taken = uncut / growth.extents[d] * growth.extents[d];
        let kept = growth.divide_others(taken == along.extent);
        let shares_less = matches!(boxes, Boxes::Shared { d, count } if growth.extents[d] < count);
        if growth.len() == 1 || shares_less {
            return None;
        }
        let channels = growth.channels(task);
        let (dim, first, taken) = kept.map_or((d, first, taken), |e| {
            let extent = dims[e].extent;
            (e, 0, extent - extent % growth.extents[e])
        });
        // A cut keeps at least half of the dimension, and the first channel.
        if taken * 2 < dims[dim].extent || dims[dim].channels && first > 0 {
            return None;
        }
        let (main, rest) = region.cut(dim, first, taken);
        if main.dims().len() < dims.len() {
            return None;
        }
        let piece = Self { kept_before: lead as u8, ..growth.piece(&main, channels, past_src) };
        if past_src && piece.reads != Reads::Packets {
            return None;
        }
        let (adjacent, mut stores) = (piece.adjacent(keeps), growth.stores);
        if adjacent > 1 {
            // Neighbouring invocations would leave gaps between their stores. They exchange the packets of whole boxes.
            let of_box = growth.len() / piece.per_store();
            if keeps || stores == Stores::Words || adjacent < of_box {
                return None;
            }
            if piece.exchanges(task) {
                stores = Stores::Exchanged;
            }
        }
        let ends = [past_src, past_dst].map(|past| if past { PACKET } else { WORD } as u64);
        Some(Candidate { kernel: Kernel::Piece(Self { stores, ..piece }), region: main, ends, rest })
    }

    pub(super) fn boxes_tiling(&self, task: &Task, region: &Region) -> Tiling {
        let elements = self.len() as u64;
        let limits = &task.limits;
        // A workgroup of a square may have only one box, in a narrow tile.
        let boxes = if self.order == Order::Squares { limits.workgroups() } else { limits.invocations() };
        let mut tiling = Tiling::of_elements(boxes.saturating_mul(elements));
        for dim in self.dims() {
            tiling.multiples[Self::dim_of(*dim, region)] = dim.extent.into();
        }
        tiling
    }

    pub(super) fn launch_boxes(&self, tile: &BoundTile<'_>) -> Launch {
        let rank = tile.region.dims().len();
        let mut geometry = Geometry::zeroed();
        // Number of boxes along each dimension of the region, and strides from one box to the next.
        let mut all = [Loop::ONCE; MAX_RANK];
        let loops = &mut all[..rank];
        let mut extents = [1; MAX_RANK];
        for (d, (along, dim)) in loops.iter_mut().zip(tile.region.dims()).enumerate() {
            *along = Loop::of(dim, tile.tile.extents[d]);
            if let Some(n) = self.dims().iter().position(|dim| Self::dim_of(*dim, tile.region) == d) {
                extents[d] = self.dims[n].extent.into();
                geometry.src_pitch[n] = dim.src as u32;
                geometry.dst_pitch[n] = dim.dst as u32;
                *along = along.in_steps(extents[d] as u64);
            }
        }
        let ends = fastest(tile.region, &extents).filter(|_| self.order == Order::Squares);
        if let Some(ends) = ends {
            return self.launch_squares(tile, geometry, loops, ends);
        }
        let mut loops: Vec<_> = loops.iter().copied().filter(|along| along.extent > 1).collect();
        loops.sort_by_key(|along| along.dst);
        let rank = ("RANK", rank_of(loops.len()));
        let turns = self.turns(tile.task.arithmetic, tile.task.limits.cpu);
        let (walk, grid) = Walk::over(tile, loops, turns);
        geometry.walk = walk;
        self.launch_of(&geometry, &[rank], grid)
    }

    /// Launches squares of boxes along the dimensions `ends`: src's fastest and dst's fastest.
    fn launch_squares(
        &self,
        tile: &BoundTile<'_>,
        mut geometry: Geometry,
        loops: &[Loop],
        ends: [usize; 2],
    ) -> Launch {
        let [first, second] = ends.map(|d| loops[d]);
        let boxes = [first.extent, second.extent];
        // A square, unless the tile has few boxes along one side: invocations outside the tile are wasted.
        let workgroup = u64::from(WORKGROUP_SIZE);
        let wide = match boxes {
            [boxes, _] if boxes < SQUARE => boxes.next_power_of_two(),
            [_, boxes] if boxes < SQUARE => workgroup / boxes.next_power_of_two(),
            _ => SQUARE,
        };
        geometry.counts = [boxes[0] as u32, boxes[1] as u32, 0, 0];
        geometry.steps = [first.src, first.dst, second.src, second.dst].map(|step| step as u32);
        let squares = [first.in_steps(wide), second.in_steps(workgroup / wide)];
        let others =
            loops.iter().enumerate().rev().filter(|(d, along)| !ends.contains(d) && along.extent > 1);
        let loops: Vec<_> = squares.into_iter().chain(others.map(|(_, along)| *along)).collect();
        let mut walk = Walk::of(tile, &loops);
        let grid = tile.task.limits.grid(walk.count.into());
        walk.grid_width = grid[0];
        geometry.walk = walk;
        // The boxes of a workgroup along src's fastest dimension.
        let squares = ("SQUARES", wide as u32);
        self.launch_of(&geometry, &[("RANK", rank_of(loops.len())), squares], grid)
    }

    fn launch_of(&self, geometry: &Geometry, constants: &[Constant], grid: [u32; 2]) -> Launch {
        let entry_point = EntryPoint::new("boxes", constants);
        Launch::new(geometry, vec![Dispatch { kernel: Kernel::Piece(*self), entry_point, grid }])
    }
}

/// Boxes that take the same channels of several pixels, far apart, where channels come last, the best first. To share a quarter
/// as many pixels costs less than to leave some to a further dispatch. `growth`: that of the region.
pub(super) fn shared(task: &Task, region: &Region, growth: &Growth<'_>) -> Vec<Candidate> {
    let [.., pixels, _] = region.dims() else { return Vec::new() };
    let most = most_shared(task);
    let mut counts: Vec<_> = [most, most / 2, most / 4].map(|count| count.min(pixels.extent)).into();
    counts.dedup();
    let of_count = |count| {
        let (pixels, d, rest) = far_pixels(task, region, growth, count)?;
        let growth = Growth::new(task, &pixels, growth.stores)?;
        let boxes = Piece::boxes(task, &pixels, growth, Boxes::Shared { d, count })?;
        Some(Candidate { rest: [&boxes.rest[..], &rest].concat(), ..boxes })
    };
    let mut all: Vec<_> = counts.into_iter().filter(|count| *count > 1).filter_map(of_count).collect();
    all.sort_by_key(|boxes| !boxes.rest.is_empty());
    all
}

/// The pixels of which boxes take `count` each: a region, the dimension along which these are far apart, and what is left of the
/// given region. Pixels with many channels may lie anywhere. Those with few are adjacent, and split into groups of neighbours, of
/// which a box takes one each.
fn far_pixels(
    task: &Task,
    region: &Region,
    growth: &Growth<'_>,
    count: usize,
) -> Option<(Region, usize, Vec<Region>)> {
    let [.., pixels, channels] = region.dims() else { return None };
    let (d, per_packet) = (region.dims().len() - 2, task.per_packet());
    if !(channels.channels && channels.dst == 1 && channels.src == 1) {
        return None;
    }
    if channels.extent >= LEAST_APART * per_packet {
        return Some((*region, d, Vec::new()));
    }
    let pixel = channels.extent.cast_signed();
    if !(pixels.dst == pixel && pixels.src == pixel && channels.extent.is_multiple_of(4)) {
        return None;
    }
    // Pixels that fill whole packets, and lines of neighbouring invocations.
    let whole = per_packet / (1 << channels.extent.trailing_zeros().min(per_packet.trailing_zeros()));
    let least = (LEAST_APART * per_packet).div_ceil(channels.extent).next_multiple_of(whole);
    // The first one begins where a box can, at a packet or a word of dst.
    let first = if growth.d == d { growth.ahead.0 } else { 0 };
    let taken = pixels.extent.checked_sub(first)? / (count * least) * (count * least);
    if taken * 2 < pixels.extent {
        return None;
    }
    let (main, rest) = region.cut(d, first, taken);
    let boxes = main.split(d, count * least)?;
    let d = boxes.dims().len() - 2;
    Some((boxes.split(d, least)?, d, rest))
}
