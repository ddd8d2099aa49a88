//! One run of elements without gaps on both sides, at the same distance from a packet. `body` takes the whole packets,
//! `edges` the up to two that the run covers in part.

use bytemuck::{Pod, Zeroable};

use super::region::Region;
use super::run_edges::{self, Run};
use super::tile::{BoundTile, Launch};
use super::{Claim, Claimant, Definition, Placement, Task, Tiling};
use crate::arithmetic::{Arithmetic, Operators};
use crate::fragment::{Fragment, fragment};

pub(crate) use super::run_edges::EntryPoint;

/// Packets that an invocation of `body` takes; the constant of `kernel/contiguous.wgsl`.
pub(crate) const PACKETS_PER_INVOCATION: u32 = 4;

/// Mirrors `Geometry` in `kernel/contiguous.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Geometry {
    pub(crate) run: Run,
}

pub(super) struct Contiguous;

impl Claimant for Contiguous {
    fn serves(&self, arithmetic: Arithmetic, _: Placement) -> bool {
        arithmetic.one_size().is_some()
    }

    fn claim(&self, task: &Task, region: &Region) -> Option<Claim> {
        let one_run = task.channels == 1
            && match region.dims() {
                [] => true,
                [dim] => run_edges::is_run(dim),
                _ => false,
            };
        if !one_run {
            return None;
        }
        let lead = run_edges::phase(task, region)?;
        Some(Claim { lead, ..Claim::all("one run on both sides, at one distance from 16 bytes") })
    }
}

impl Definition for Contiguous {
    fn tiling(&self, task: &Task) -> Tiling {
        let invocations = task.limits.invocations();
        run_edges::tiling(task, invocations.saturating_mul(PACKETS_PER_INVOCATION.into()))
    }

    fn multiple(&self, _: &Region, _: usize, task: &Task) -> usize {
        task.per_packet()
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let run = Run::of(tile);
        let grid = tile.grid_of(run.count.div_ceil(PACKETS_PER_INVOCATION).into());
        let run = Run { grid_width: grid[0], ..run };
        run.launch(&Geometry { run }, grid, super::EntryPoint::Contiguous)
    }

    fn fragments(&self, arithmetic: Arithmetic, _: Operators) -> Vec<Fragment> {
        let [edges, units] = run_edges::FRAGMENTS;
        vec![fragment!("kernel/contiguous"), edges, units, arithmetic.packet_fragment()]
    }

    fn entry_points(&self, _: Arithmetic) -> Vec<super::EntryPoint> {
        EntryPoint::ALL.map(super::EntryPoint::Contiguous).to_vec()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        super::twin!("Geometry", Geometry: run)
    }
}
