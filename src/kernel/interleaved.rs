//! One run of elements without gaps on both sides, at the same distance from a packet, those next to each other of
//! different channels. `body` takes the whole packets, `edges` the up to two that the run covers in part.

use bytemuck::{Pod, Zeroable};

use super::division::Division;
use super::region::Region;
use super::run_edges::{self, Run};
use super::tile::{BoundTile, Launch};
use super::{Claim, Claimant, Definition, Placement, Task, Tiling};
use crate::arithmetic::{AffineStep, Arithmetic, LANES, OperatorBlock, Operators, groups};
use crate::fragment::{Fragment, fragment};

pub(crate) use super::run_edges::EntryPoint;

/// Packets that an invocation takes at most; the constant of `kernel/interleaved.wgsl`.
pub(crate) const PACKETS_PER_INVOCATION: u32 = 8;

/// The least packets between those of an invocation where neighbouring invocations take neighbouring packets.
const LEAST_APART: u32 = 64;

/// Mirrors `Geometry` in `kernel/interleaved.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Geometry {
    pub(crate) run: Run,
    pub(crate) adjacent: Order,
    pub(crate) apart: Order,
    pub(crate) groups: u32,
    pub(crate) groups_multiplier: u32,
    pub(crate) groups_shift: u32,
    /// To the size of the WGSL struct.
    pub(crate) padding: u32,
}

/// Mirrors `Order` in `kernel/interleaved.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Order {
    pub(crate) stride: u32,
    pub(crate) multiplier: u32,
    pub(crate) shift: u32,
    /// To the size of the WGSL struct.
    pub(crate) padding: u32,
}

pub(super) struct Interleaved;

impl Claimant for Interleaved {
    fn serves(&self, arithmetic: Arithmetic, _: Placement) -> bool {
        arithmetic.one_size().is_some() && arithmetic.has_lanes()
    }

    fn claim(&self, task: &Task, region: &Region) -> Option<Claim> {
        let one_run = task.channels > 1
            && match region.dims() {
                [dim] => dim.channels && run_edges::is_run(dim),
                [outer, dim] => {
                    let pitch = dim.extent.cast_signed();
                    dim.channels
                        && dim.extent == task.channels
                        && run_edges::is_run(dim)
                        && (outer.src, outer.dst) == (pitch, pitch)
                }
                _ => false,
            };
        if !one_run {
            return None;
        }
        // Four times as large as that of kernels which take elements one by one.
        let table = (groups(task.channels) as u64).saturating_mul((LANES * OperatorBlock::CAPACITY) as u64);
        if table > task.limits.binding_size() {
            return None;
        }
        // Tiles are of whole pixels.
        run_edges::phase(task, region)?;
        Some(Claim::all("one run of interleaved channels on both sides, at one distance from 16 bytes"))
    }
}

impl Definition for Interleaved {
    fn takes_lanes(&self) -> bool {
        true
    }

    fn tiling(&self, task: &Task) -> Tiling {
        // A row of packets is taken as a whole.
        let invocations = task.limits.invocations().saturating_sub(Order::both(task)[1].stride.into());
        run_edges::tiling(task, invocations.saturating_mul(PACKETS_PER_INVOCATION.into()))
    }

    /// A tile of pixels of several channels is all of these, and each begins at the same distance from a packet.
    fn multiple(&self, region: &Region, d: usize, task: &Task) -> usize {
        let dim = &region.dims()[d];
        if dim.channels { dim.extent } else { task.per_packet() }
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let run = Run::of(tile);
        let groups = groups(tile.task.channels) as u32;
        let [adjacent, apart] = Order::both(tile.task);
        let invocations = [adjacent, apart].map(|order| order.invocations(run.count));
        let grid = tile.grid_of(invocations[0].max(invocations[1]));
        let run = Run { grid_width: grid[0], ..run };
        let Division { multiplier: groups_multiplier, shift: groups_shift } = Division::by(groups);
        let geometry = Geometry { run, adjacent, apart, groups, groups_multiplier, groups_shift, padding: 0 };
        run.launch(&geometry, grid, super::EntryPoint::Interleaved)
    }

    fn fragments(&self, arithmetic: Arithmetic, _: Operators) -> Vec<Fragment> {
        let [edges, units] = run_edges::FRAGMENTS;
        let mut fragments = vec![fragment!("kernel/interleaved"), edges, units, fragment!("kernel/divide")];
        fragments.push(if arithmetic.step == AffineStep::Exact {
            fragment!("kernel/looped")
        } else {
            fragment!("kernel/unrolled")
        });
        match arithmetic.dtype.size() {
            1 => fragments.extend([fragment!("packet/lanes8"), fragment!("packet/word8")]),
            2 => fragments.push(fragment!("packet/lanes16")),
            _ => fragments.push(fragment!("packet/lanes32")),
        }
        fragments
    }

    fn entry_points(&self, _: Arithmetic) -> Vec<super::EntryPoint> {
        EntryPoint::ALL.map(super::EntryPoint::Interleaved).to_vec()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        super::twin!("Geometry", Geometry: run adjacent apart groups groups_multiplier groups_shift)
    }
}

impl Order {
    /// In which the packets of an invocation lie as near to each other as can be, and in which those of neighbouring
    /// invocations do.
    fn both(task: &Task) -> [Self; 2] {
        let (groups, per_packet) = (groups(task.channels), task.per_packet() / LANES);
        // Packets until one begins with the same channel again; a packet has a power of two of groups.
        let period = (groups / per_packet.min(1 << groups.trailing_zeros())) as u32;
        [period, period * LEAST_APART.div_ceil(period)].map(|stride| {
            let Division { multiplier, shift } = Division::by(stride);
            Self { stride, multiplier, shift, padding: 0 }
        })
    }

    /// For so many packets.
    fn invocations(&self, packets: u32) -> u64 {
        let rows = packets.div_ceil(self.stride);
        u64::from(rows.div_ceil(PACKETS_PER_INVOCATION)) * u64::from(self.stride)
    }
}
