//! One run of elements without gaps on both sides, at the same distance from a packet. `body` takes the whole packets,
//! `edges` the up to two that the run covers in part.

use bytemuck::{Pod, Zeroable};

use super::division::Division;
use super::region::{DST, Dim, Region, SRC};
use super::tile::{BoundTile, Dispatch, Launch};
use super::{Claim, Definition, PACKET, Placement, Task, Tiling, WORKGROUP_SIZE};
use crate::arithmetic::{Arithmetic, Operators, groups};
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
    pub(crate) groups: u32,
    pub(crate) groups_multiplier: u32,
    pub(crate) groups_shift: u32,
    pub(crate) groups_per_packet: u32,
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
    fn serves(&self, arithmetic: Arithmetic, _: Placement) -> bool {
        arithmetic.one_size().is_some()
    }

    fn takes_lanes(&self) -> bool {
        true
    }

    fn claim(&self, task: &Task, region: &Region) -> Option<Claim> {
        let in_rows = |dim: &Dim| (dim.src, dim.dst) == (1, 1);
        let one_run = match region.dims() {
            _ if task.channels > 1 && !task.arithmetic.has_lanes() => false,
            [] => task.channels == 1,
            [dim] => in_rows(dim) && (task.channels == 1 || dim.channels),
            // Elements next to each other are of different channels.
            [outer, dim] => {
                let pitch = dim.extent.cast_signed();
                dim.channels
                    && dim.extent == task.channels
                    && in_rows(dim)
                    && (outer.src, outer.dst) == (pitch, pitch)
            }
            _ => false,
        };
        let [src, dst] = region.starts.map(|start| start % task.per_packet());
        let claim = Claim::all("one run on both sides, at one distance from 16 bytes");
        let lead = if task.channels > 1 { 0 } else { dst };
        (one_run && src == dst).then_some(Claim { lead, ..claim })
    }

    fn tiling(&self, task: &Task) -> Tiling {
        let per_invocation = PACKETS_PER_INVOCATION as usize * task.per_packet();
        let invocations = task.limits.workgroups().saturating_mul(WORKGROUP_SIZE.into());
        let most = invocations.saturating_mul(per_invocation as u64);
        Tiling { quantum: task.per_packet(), most, dispatches: 2 }
    }

    /// A tile of pixels of several channels is all of these, and each begins at the same distance from a packet.
    fn multiple(&self, dim: &Dim, task: &Task) -> usize {
        if dim.channels { dim.extent } else { task.per_packet() }
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let packet = PACKET as u32;
        let (src, begin) = (tile.start_bytes[SRC], tile.start_bytes[DST]);
        let end = begin + (tile.len() * tile.size()) as u32;
        let first = begin.div_ceil(packet);
        let count = (end / packet).saturating_sub(first);
        let grid = tile.grid_of(count.div_ceil(PACKETS_PER_INVOCATION).into());
        let src_shift = (src / packet).wrapping_sub(begin / packet);
        let groups_per_packet = (tile.per_packet() / 4) as u32;
        let groups = if tile.task.channels > 1 { groups(tile.task.channels) as u32 } else { 1 };
        let Division { multiplier: groups_multiplier, shift: groups_shift } = Division::by(groups);
        let geometry = Geometry {
            first,
            count,
            src_shift,
            grid_width: grid[0],
            begin,
            end,
            groups,
            groups_multiplier,
            groups_shift,
            groups_per_packet,
        };
        let dispatch = |entry_point, grid| {
            Some(Dispatch { entry_point: super::EntryPoint::Contiguous(entry_point), grid })
        };
        let body = if count > 0 { dispatch(EntryPoint::Body, grid) } else { None };
        let ragged = !(begin.is_multiple_of(packet) && end.is_multiple_of(packet));
        let edges = if ragged { dispatch(EntryPoint::Edges, [1, 1]) } else { None };
        Launch::new(&geometry, [body, edges, None])
    }

    fn fragments(&self, arithmetic: Arithmetic, operators: Operators) -> Vec<Fragment> {
        let packet = arithmetic.packet_fragment(operators.are_lanes());
        let mut fragments = vec![
            fragment!("kernel/contiguous"),
            fragment!("kernel/divide"),
            fragment!("packet/units"),
            packet,
        ];
        if operators.are_lanes() && arithmetic.dtype.size() == 1 {
            fragments.push(fragment!("packet/word8"));
        }
        fragments
    }

    fn entry_points(&self, _: Arithmetic) -> Vec<super::EntryPoint> {
        [EntryPoint::Body, EntryPoint::Edges].map(super::EntryPoint::Contiguous).to_vec()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        super::twin!("Geometry", Geometry: first count src_shift grid_width begin end groups groups_multiplier
            groups_shift groups_per_packet)
    }
}
