//! A run of elements without gaps on both sides, as packets at the same distance on each: which are whole, and what lies
//! before and behind these. The host's half of `kernel/run_edges.wgsl`.

use bytemuck::{Pod, Zeroable};

use super::region::{DST, Dim, Region, SRC};
use super::tile::{BoundTile, Dispatch, Launch};
use super::{PACKET, Task, Tiling};
use crate::fragment::{Fragment, fragment};

/// Fragments beside the kernel's own and the one of its packets.
pub(super) const FRAGMENTS: [Fragment; 2] = [fragment!("kernel/run_edges"), fragment!("packet/units")];

/// Mirrors `Run` in `kernel/run_edges.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Run {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) src_shift: u32,
    pub(crate) grid_width: u32,
    pub(crate) begin: u32,
    pub(crate) end: u32,
    /// To the size of the WGSL struct.
    pub(crate) padding: [u32; 2],
}

/// Without constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EntryPoint {
    /// The whole packets.
    Body,
    /// The packets that are covered in part.
    Edges,
}

impl EntryPoint {
    pub(super) const ALL: [Self; 2] = [Self::Body, Self::Edges];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Edges => "edges",
        }
    }

    #[expect(clippy::unused_self, reason = "as those of the other kernels")]
    pub(super) const fn constants(self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}

/// Whether the indices of a dimension follow one another without gaps on both sides.
pub(super) const fn is_run(dim: &Dim) -> bool {
    dim.src == 1 && dim.dst == 1
}

/// How many elements behind a packet's start both sides begin, if that is the same number.
pub(super) fn phase(task: &Task, region: &Region) -> Option<usize> {
    let [src, dst] = region.starts.map(|start| start % task.per_packet());
    (src == dst).then_some(dst)
}

/// The packets of a tile that `body` takes are `most` at most.
pub(super) fn tiling(task: &Task, most: u64) -> Tiling {
    let per_packet = task.per_packet();
    Tiling { quantum: per_packet, most: most.saturating_mul(per_packet as u64), dispatches: 2 }
}

impl Run {
    /// Without a grid.
    pub(super) fn of(tile: &BoundTile<'_>) -> Self {
        let packet = PACKET as u32;
        let (src, begin) = (tile.start_bytes[SRC], tile.start_bytes[DST]);
        let end = begin + (tile.len() * tile.size()) as u32;
        let first = begin.div_ceil(packet);
        let count = (end / packet).saturating_sub(first);
        let src_shift = (src / packet).wrapping_sub(begin / packet);
        Self { first, count, src_shift, grid_width: 0, begin, end, padding: [0; 2] }
    }

    /// The whole packets on this grid, where there are any, and those that are covered in part.
    pub(super) fn launch(
        &self,
        geometry: &impl Pod,
        grid: [u32; 2],
        entry_point: fn(EntryPoint) -> super::EntryPoint,
    ) -> Launch {
        let packet = PACKET as u32;
        let ragged = !(self.begin.is_multiple_of(packet) && self.end.is_multiple_of(packet));
        let dispatch = |which, grid| Dispatch { entry_point: entry_point(which), grid };
        let body = (self.count > 0).then_some(dispatch(EntryPoint::Body, grid));
        let edges = ragged.then_some(dispatch(EntryPoint::Edges, [1, 1]));
        Launch::new(geometry, [body, edges, None])
    }
}
