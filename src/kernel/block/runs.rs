//! Runs: adjacent elements of dst along several dimensions, which begin anywhere in a packet. The host's half of
//! `kernel/block_runs.wgsl`.

use super::{Block, Geometry, Stride, launch_of, repeated};
use crate::kernel::region::DST;
use crate::kernel::walk::{BoundTile, Division, Loop, Walk};
use crate::kernel::{Launch, WORKGROUP_SIZE};

/// Blocks of a run that an invocation takes. It also computes the preceding block, whose end belongs to its first
/// packet.
pub(super) const UNITS: u64 = 16;

impl Block {
    /// Launches runs along dimension `along`, in segments, and the elements at the ends of runs. In turn, a segment has
    /// [`UNITS`] blocks. `beside` each other, it has one block less than the invocations that take it.
    pub(super) fn launch_runs(
        &self,
        tile: &BoundTile<'_>,
        mut geometry: Geometry,
        loops: &mut [Loop],
        (along, beside): (usize, bool),
    ) -> Launch {
        let blocks = std::mem::replace(&mut loops[along], Loop::ONCE);
        tile.sort(loops);
        // The loop over segments is last: a linear index divided by `runs` gives the segment, the remainder is the
        // run.
        let lanes_log2 = if beside { Self::lanes_log2(blocks) } else { 0 };
        let segments = blocks.in_steps(if beside { (1 << lanes_log2) - 1 } else { UNITS });
        let (mut walk, rank) = Walk::over(tile, repeated(loops).chain([segments]));
        let runs = walk.count / segments.extent as u32;
        let grid = tile.grid_of(u64::from(walk.count) << lanes_log2);
        walk.grid_width = grid[0];
        let edge_grid = tile.grid_of(u64::from(runs) * self.edge_elements() as u64);
        let Division { multiplier, shift } = Division::by(runs);
        geometry.walk = walk;
        geometry.blocks = [blocks.extent as u32, multiplier, shift, runs];
        geometry.steps = [blocks.src as u32, blocks.dst as u32, edge_grid[0], lanes_log2];
        launch_of(&geometry, Some(rank), Some(grid), Some(edge_grid))
    }

    /// The log2 of the invocations that take a segment of a run with these blocks: at most a workgroup, and few without a
    /// block.
    pub(super) fn lanes_log2(blocks: Loop) -> u32 {
        (blocks.extent + 1).next_power_of_two().min(WORKGROUP_SIZE.into()).trailing_zeros()
    }

    /// The runs of a block.
    pub(super) fn runs(&self) -> usize {
        let far = self.dims().iter().filter(|dim| dim.strides[DST] == Stride::Far);
        far.map(|dim| usize::from(dim.extent)).product()
    }

    /// The most elements beside the whole packets of a block's runs: a packet per run.
    pub(super) fn edge_elements(&self) -> usize {
        self.runs() * self.per_store()
    }
}
