//! Runs: elements of dst that are adjacent along one dimension or several, and begin anywhere in a packet. `stream` takes the
//! whole units of each run, `words` what lies beside them. The host's half of `kernel/run.wgsl`.

use bytemuck::Zeroable;

use super::Constant;
use super::region::DST;
use super::walk::{BoundTile, Division, Loop, Walk, rank_of};
use crate::MAX_RANK;
use crate::fragment::mirrors;

mirrors! {
    /// Mirrors `Geometry` in `kernel/run.wgsl`.
    struct Geometry {
        walk: Walk,
        units: Share,
        words: Share,
        run: [RunDim; MAX_RANK],
        length: u32,
        whole_src: u32,
        run_channel_dim: u32,
        /// Pads to the size of the WGSL struct.
        padding: u32,
    }

    /// Mirrors `Share` in `kernel/run.wgsl`.
    struct Share {
        of_run: u32,
        multiplier: u32,
        shift: u32,
        count: u32,
        grid_width: u32,
        /// Pads to the size of the WGSL struct.
        padding: [u32; 3],
    }

    /// Mirrors `RunDim` in `kernel/run.wgsl`.
    struct RunDim {
        extent: u32,
        src_stride: u32,
        multiplier: u32,
        shift: u32,
    }
}

/// The runs of a tile.
pub(super) struct Runs {
    /// The dimensions of a run, the innermost first.
    run: Vec<Loop>,
    /// The dimensions from run to run, the nearest first.
    outer: Vec<Loop>,
    /// Elements of a run.
    length: u64,
    /// The address in dst at which the first run begins, in elements.
    start: u64,
}

impl Runs {
    /// The longest runs of a tile; of one dimension at most if not `deep`.
    pub(super) fn of(tile: &BoundTile<'_>, deep: bool) -> Self {
        let (mut run, mut outer, mut length) = (Vec::new(), Vec::new(), 1);
        for along in tile.loops().filter(|along| along.extent > 1) {
            let continues = outer.is_empty() && along.dst.unsigned_abs() as u64 == length;
            if continues && (deep || run.is_empty()) {
                length *= along.extent;
                run.push(along);
            } else {
                outer.push(along);
            }
        }
        outer.sort_by_key(|along| along.dst);
        Self { run, outer, length, start: tile.starts()[DST].into() }
    }

    /// Whether the elements of a run have a channel each.
    pub(super) fn step_channels(&self) -> bool {
        self.run.iter().any(|along| along.channels)
    }

    /// The offset in a unit of `n` elements at which all runs begin, if they do so at the same one.
    fn phase(&self, n: u64) -> Option<u64> {
        let alike = self.outer.iter().all(|along| (along.dst.unsigned_abs() as u64).is_multiple_of(n));
        alike.then_some(self.start % n)
    }

    /// The most whole units of `n` elements in a run.
    pub(super) fn units(&self, n: u64) -> u64 {
        match self.phase(n) {
            Some(phase) => ((phase + self.length) / n).saturating_sub(phase.div_ceil(n)),
            None => self.length / n,
        }
    }

    /// The most units of `n` elements that a run touches.
    pub(super) fn touched(&self, n: u64) -> u64 {
        (self.phase(n).unwrap_or(n - 1) + self.length).div_ceil(n)
    }

    /// The most words beside the whole units of `unit` elements, with `lanes` elements per word. `ends_within`: whether units
    /// whose source does not lie in whole packets of src are left, too.
    pub(super) fn words_beside(&self, unit: u64, lanes: u64, ends_within: bool) -> u64 {
        let words = unit / lanes;
        let ends = match self.phase(unit) {
            Some(phase) => {
                let (head, tail) = ((unit - phase) % unit, (phase + self.length) % unit);
                head.div_ceil(lanes) + tail.div_ceil(lanes)
            }
            None => 2 * words,
        };
        (ends + if ends_within { words } else { 0 }).min(self.touched(lanes))
    }

    /// The constants `RANK` and `DEPTH`.
    pub(super) fn ranks(&self) -> [Constant; 2] {
        [("RANK", rank_of(self.outer.len())), ("DEPTH", rank_of(self.run.len().max(1)))]
    }

    /// The geometry for both kernels; shares are open. Behind `whole_src` elements, src has no whole packet.
    pub(super) fn geometry(&self, tile: &BoundTile<'_>, whole_src: Option<u32>) -> Geometry {
        let mut geometry = Geometry { walk: Walk::of(tile, &self.outer), ..Geometry::zeroed() };
        geometry.length = self.length as u32;
        geometry.whole_src = whole_src.unwrap_or(u32::MAX);
        geometry.run_channel_dim = u32::MAX;
        let once = Division::by(1);
        geometry.run =
            [RunDim { extent: 1, src_stride: 0, multiplier: once.multiplier, shift: once.shift }; MAX_RANK];
        for (d, along) in self.run.iter().enumerate() {
            let Division { multiplier, shift } = Division::by(along.extent as u32);
            geometry.run[d] =
                RunDim { extent: along.extent as u32, src_stride: along.src as u32, multiplier, shift };
            if along.channels {
                geometry.run_channel_dim = d as u32;
            }
        }
        geometry
    }

    /// The invocations for `count` units or words per run, of which each takes `turns`, and the grid.
    pub(super) fn share(&self, tile: &BoundTile<'_>, count: u64, turns: u32) -> (Share, [u32; 2]) {
        let of_run = count.div_ceil(turns.into());
        let count = self.outer.iter().map(|along| along.extent).product::<u64>() * of_run;
        let Division { multiplier, shift } = Division::by(of_run as u32);
        let grid = tile.grid_of(count);
        let (of_run, count) = (of_run as u32, count as u32);
        (Share { of_run, multiplier, shift, count, grid_width: grid[0], padding: [0; 3] }, grid)
    }
}
