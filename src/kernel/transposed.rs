//! The fastest dimensions of src and dst differ, all else falls on packets: a square of elements per invocation, as
//! many packets high as a packet has elements.

use bytemuck::{Pod, Zeroable};

use super::region::Region;
use super::tile::{BoundTile, Launch, Loop};
use super::walk::{Rank, Walk};
use super::{Claim, Claimant, Cut, Definition, PACKET, Placement, Task, Tiling, WORKGROUP_SIZE, size_fragment};
use crate::arithmetic::{AffineStep, Arithmetic, Operators};
use crate::fragment::{Fragment, fragment};

/// Mirrors `Geometry` in `kernel/transposed.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Geometry {
    pub(crate) walk: Walk,
    pub(crate) squares_along_src: u32,
    pub(crate) squares_along_dst: u32,
    pub(crate) src_pitch: u32,
    pub(crate) dst_pitch: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EntryPoint {
    pub(crate) rank: Rank,
    /// `SQUARES`, of packets along src's fastest dimension in a workgroup: 2 to this power.
    pub(crate) squares_log2: u8,
}

impl EntryPoint {
    #[expect(clippy::unused_self, reason = "as those of the other kernels")]
    pub(super) const fn name(self) -> &'static str {
        "transposed"
    }

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        vec![self.rank.constant(), ("SQUARES", f64::from(1_u32 << self.squares_log2))]
    }
}

pub(super) struct Transposed;

impl Claimant for Transposed {
    /// The exact step is too large to be inlined for each packet of a square.
    fn serves(&self, arithmetic: Arithmetic, _: Placement) -> bool {
        arithmetic.step != AffineStep::Exact && arithmetic.one_size().is_some()
    }

    fn claim(&self, task: &Task, region: &Region) -> Option<Claim> {
        let packet = task.per_packet();
        let dims = region.dims();
        let along_dst = dims.len().checked_sub(1)?;
        let along_src = dims.iter().position(|dim| dim.src == 1)?;
        let (a, b) = (dims[along_dst], dims[along_src]);
        // With fewer squares the single elements do as well.
        let enough = 4 * packet;
        if a.channels
            || b.channels
            || a.dst != 1
            || a.src == 0
            || along_src == along_dst
            || a.extent.min(b.extent) < enough
        {
            return None;
        }
        let but = |d: usize| dims.iter().enumerate().filter(move |&(e, _)| e != d).map(|(_, dim)| dim);
        let aligned = region.starts.iter().all(|start| start.is_multiple_of(packet))
            && but(along_src).all(|dim| dim.src.unsigned_abs().is_multiple_of(packet))
            && but(along_dst).all(|dim| dim.dst.unsigned_abs().is_multiple_of(packet));
        if !aligned {
            return None;
        }
        let whole = |extent: usize| extent / packet * packet;
        let cut = |dim: usize| Some(Cut { dim, first: 0, extent: whole(dims[dim].extent) });
        Some(Claim {
            cuts: [cut(along_src), cut(along_dst)],
            ..Claim::all("src and dst are fastest along different axes, all else at packets")
        })
    }
}

impl Definition for Transposed {
    fn tiling(&self, task: &Task) -> Tiling {
        let side = task.per_packet();
        // A tile may be as narrow as one square in each workgroup.
        let most = task.limits.workgroups().saturating_mul((side * side) as u64).min(i32::MAX as u64);
        Tiling { quantum: side, most, ..Tiling::of_elements(task) }
    }

    fn multiple(&self, region: &Region, d: usize, task: &Task) -> usize {
        let dim = &region.dims()[d];
        if dim.src == 1 || dim.dst == 1 { task.per_packet() } else { 1 }
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let side = tile.per_packet() as u64;
        let [mut along_src, mut along_dst] = [Loop { extent: 0, ..Loop::ONCE }; 2];
        for dim in tile.loops() {
            if dim.src == 1 {
                along_src = dim;
            } else if dim.dst == 1 {
                along_dst = dim;
            }
        }
        let squares = [along_src, along_dst].map(|dim| dim.extent / side);
        // Nearly as wide as high, unless one side is short: what is outside is wasted.
        let workgroup = u64::from(WORKGROUP_SIZE);
        let wide = match squares {
            [short, _] if short < 16 => short.next_power_of_two(),
            [_, short] if short < 16 => workgroup / short.next_power_of_two(),
            _ => 16,
        };
        let batches = [(along_src, squares[0], wide), (along_dst, squares[1], workgroup / wide)];
        let batches = batches.map(|(dim, squares, across)| {
            let elements = (across * side).cast_signed() as isize;
            Loop {
                extent: squares.div_ceil(across),
                src: dim.src.wrapping_mul(elements),
                dst: dim.dst.wrapping_mul(elements),
                channels: false,
            }
        });
        let others = tile.loops().filter(|dim| dim.src != 1 && dim.dst != 1);
        let (mut walk, rank) = Walk::counting(tile, batches.into_iter().chain(others), [PACKET as u64; 2]);
        let grid = tile.grid(walk.count.into());
        walk.grid_width = grid[0];
        let packets = |stride: isize| (stride / side.cast_signed() as isize) as u32;
        let geometry = Geometry {
            walk,
            squares_along_src: squares[0] as u32,
            squares_along_dst: squares[1] as u32,
            src_pitch: packets(along_dst.src),
            dst_pitch: packets(along_src.dst),
        };
        let entry_point = EntryPoint { rank, squares_log2: wide.trailing_zeros() as u8 };
        Launch::single(&geometry, super::EntryPoint::Transposed(entry_point), grid)
    }

    fn fragments(&self, arithmetic: Arithmetic, _: Operators) -> Vec<Fragment> {
        let transpose = match arithmetic.dtype.size() {
            1 => fragment!("kernel/transpose8"),
            2 => fragment!("kernel/transpose16"),
            4 => fragment!("kernel/transpose32"),
            _ => fragment!("kernel/transpose64"),
        };
        vec![
            fragment!("kernel/transposed"),
            transpose,
            fragment!("kernel/walk"),
            fragment!("kernel/divide"),
            fragment!("packet/units"),
            size_fragment(arithmetic.dtype.size()),
            arithmetic.packet_fragment(),
        ]
    }

    fn entry_points(&self, _: Arithmetic) -> Vec<super::EntryPoint> {
        // Up to all 256 in a row.
        let of_rank = |rank| (0..=8).map(move |squares_log2| EntryPoint { rank, squares_log2 });
        Rank::ALL.into_iter().flat_map(of_rank).map(super::EntryPoint::Transposed).collect()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        super::twin!("Geometry", Geometry: walk squares_along_src squares_along_dst src_pitch dst_pitch)
    }
}
