//! Runs of dst of several dimensions that begin anywhere. The host's half of `kernel/block_runs.wgsl`.

use super::{Block, EntryPoint, Geometry, Part, Stride, rounds};
use crate::kernel::division::Division;
use crate::kernel::region::DST;
use crate::kernel::tile::{BoundTile, Launch, Loop};
use crate::kernel::walk::Walk;

/// Blocks of a run that an invocation takes; it computes one more, of which it stores the end.
pub(super) const UNITS: u64 = 16;

impl Block {
    /// Runs along dimension `along`, in segments of [`UNITS`] blocks, and what is left at the ends of runs.
    pub(super) fn launch_runs(
        &self,
        tile: &BoundTile<'_>,
        mut geometry: Geometry,
        loops: &mut [Loop],
        along: usize,
    ) -> Launch {
        let blocks = std::mem::replace(&mut loops[along], Loop::ONCE);
        loops.sort_unstable_by_key(Loop::distance);
        // The last loop is that over segments, so that all before it is what a run is found by.
        let segments = blocks.in_steps(UNITS);
        let (mut walk, rank) = Walk::over(tile, rounds(loops).chain([segments]));
        let runs = walk.count / segments.extent as u32;
        let grid = walk.grid(tile);
        let edge_grid = tile.grid_of(u64::from(runs) * self.edge_elements() as u64);
        let Division { multiplier, shift } = Division::by(runs);
        geometry.walk = walk;
        geometry.blocks = [blocks.extent as u32, multiplier, shift, runs];
        geometry.steps = [blocks.src as u32, blocks.dst as u32, edge_grid[0], 0];
        let dispatch = |part, grid| Some(EntryPoint::of(part, Some(rank)).on(grid));
        Launch::new(&geometry, [dispatch(Part::Blocks, grid), dispatch(Part::Edges, edge_grid)])
    }

    /// The elements that whole packets may leave of the runs of a block: a packet of each.
    pub(super) fn edge_elements(&self) -> usize {
        let far = self.dims().iter().filter(|dim| dim.strides[DST] == Stride::Far);
        far.map(|dim| usize::from(dim.extent)).product::<usize>() * self.per_packet()
    }
}
