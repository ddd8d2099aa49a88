//! One run of elements without gaps on both sides, at the same distance from a packet. `body` takes the whole packets,
//! `edges` the up to two that the run covers in part.

use bytemuck::{Pod, Zeroable};

use super::region::{DST, Dim, Region, SRC};
use super::tile::{BoundTile, Dispatch, Launch};
use super::{Claim, Definition, PACKET, Task, Tiling, WORKGROUP_SIZE};
use crate::DType;
use crate::arithmetic::{AffineStep, packet_fragment};
use crate::fragment::{Fragment, fragment};

/// Packets that an invocation of `body` takes; the constant of `kernel/contiguous.wgsl`.
pub(crate) const PACKETS_PER_INVOCATION: u32 = 4;

/// Mirrors `Geometry` in `kernel/contiguous.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Geometry {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) src_shift: u32,
    pub(crate) grid_width: u32,
    pub(crate) begin: u32,
    pub(crate) end: u32,
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

pub(super) struct Contiguous;

impl Definition for Contiguous {
    fn claim(&self, task: &Task, region: &Region) -> Option<Claim> {
        let one_run =
            region.dims().len() <= 1 && region.dims().iter().all(|dim| (dim.src, dim.dst) == (1, 1));
        let [src, dst] = region.starts.map(|start| start % task.per_packet());
        let claim = Claim::all("one run on both sides, at one distance from 16 bytes");
        (one_run && src == dst).then_some(Claim { lead: dst, ..claim })
    }

    fn tiling(&self, task: &Task) -> Tiling {
        let per_invocation = PACKETS_PER_INVOCATION as usize * task.per_packet();
        let invocations = task.limits.workgroups().saturating_mul(WORKGROUP_SIZE.into());
        let most = invocations.saturating_mul(per_invocation as u64);
        Tiling { quantum: task.per_packet(), most, dispatches: 2, ..Tiling::of_elements(task) }
    }

    fn is_cut_in_quanta(&self, _: &Dim, _: &Task) -> bool {
        true
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let packet = PACKET as u32;
        let (src, begin) = (tile.start_bytes[SRC], tile.start_bytes[DST]);
        let end = begin + (tile.len() * tile.size()) as u32;
        let first = begin.div_ceil(packet);
        let count = (end / packet).saturating_sub(first);
        let grid = tile.grid_of(count.div_ceil(PACKETS_PER_INVOCATION).into());
        let src_shift = (src / packet).wrapping_sub(begin / packet);
        let geometry = Geometry { first, count, src_shift, grid_width: grid[0], begin, end };
        let dispatch = |entry_point, grid| {
            Some(Dispatch { entry_point: super::EntryPoint::Contiguous(entry_point), grid })
        };
        let body = if count > 0 { dispatch(EntryPoint::Body, grid) } else { None };
        let ragged = !(begin.is_multiple_of(packet) && end.is_multiple_of(packet));
        let edges = if ragged { dispatch(EntryPoint::Edges, [1, 1]) } else { None };
        Launch::new(&geometry, [body, edges, None])
    }

    fn fragments(&self, dtype: DType, step: AffineStep) -> Vec<Fragment> {
        vec![fragment!("kernel/contiguous"), fragment!("packet/units"), packet_fragment(dtype, step)]
    }

    fn entry_points(&self, _: DType) -> Vec<super::EntryPoint> {
        [EntryPoint::Body, EntryPoint::Edges].map(super::EntryPoint::Contiguous).to_vec()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        super::twin!("Geometry", Geometry: first count src_shift grid_width begin end)
    }
}
