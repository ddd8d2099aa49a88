//! Runs: adjacent elements of dst along several dimensions, which begin anywhere in a packet. The host's half of
//! `kernel/block_runs.wgsl`.

use super::{Block, Geometry, Stride, launch_of, repeated};
use crate::kernel::Launch;
use crate::kernel::region::DST;
use crate::kernel::walk::{BoundTile, Division, Loop, Walk};

/// Blocks of a run that an invocation takes. It also computes the preceding block, whose end belongs to its first
/// packet.
pub(super) const UNITS: u64 = 16;

impl Block {
    /// Launches runs along dimension `along`, in segments of [`UNITS`] blocks, and the elements at the ends of runs.
    pub(super) fn launch_runs(
        &self,
        tile: &BoundTile<'_>,
        mut geometry: Geometry,
        loops: &mut [Loop],
        along: usize,
    ) -> Launch {
        let blocks = std::mem::replace(&mut loops[along], Loop::ONCE);
        tile.sort(loops);
        // The loop over segments is last: a linear index divided by `runs` gives the segment, the remainder is the
        // run.
        let segments = blocks.in_steps(UNITS);
        let (mut walk, rank) = Walk::over(tile, repeated(loops).chain([segments]));
        let runs = walk.count / segments.extent as u32;
        let grid = walk.grid(tile);
        let edge_grid = tile.grid_of(u64::from(runs) * self.edge_elements() as u64);
        let Division { multiplier, shift } = Division::by(runs);
        geometry.walk = walk;
        geometry.blocks = [blocks.extent as u32, multiplier, shift, runs];
        geometry.steps = [blocks.src as u32, blocks.dst as u32, edge_grid[0], 0];
        launch_of(&geometry, Some(rank), Some(grid), Some(edge_grid))
    }

    /// The most elements beside the whole packets of a block's runs: a packet per run.
    pub(super) fn edge_elements(&self) -> usize {
        let far = self.dims().iter().filter(|dim| dim.strides[DST] == Stride::Far);
        far.map(|dim| usize::from(dim.extent)).product::<usize>() * self.per_store()
    }
}
