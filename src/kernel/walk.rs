//! Walks go through a tile: they turn a linear index into a place in src and dst. Every kernel begins with a walk. The host's
//! half of `kernel/walk.wgsl`, and of `divide` in `grid.wgsl`.

use bytemuck::Zeroable;

use super::region::{DST, Dim, Region, SRC, Tile};
use super::{Task, WORKGROUP_SIZE};
use crate::MAX_RANK;
use crate::fragment::mirrors;

/// A tile within its bindings.
pub(crate) struct BoundTile<'a> {
    pub(crate) region: &'a Region,
    pub(crate) tile: &'a Tile,
    pub(crate) task: &'a Task,
    /// Offsets of the first elements in the bindings of src and dst, in bytes.
    pub(crate) start_bytes: [u32; 2],
    /// Size of the src binding, in bytes.
    pub(crate) src_size: u64,
}

/// A dimension of a tile: its extent, and its strides in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub(super) extent: u64,
    pub(super) src: isize,
    pub(super) dst: isize,
    /// Whether its indices are channels.
    pub(super) channels: bool,
}

impl Loop {
    pub(super) const ONCE: Self = Self { extent: 1, src: 0, dst: 0, channels: false };

    /// The first `extent` indices of a dimension.
    pub(super) const fn of(dim: &Dim, extent: usize) -> Self {
        Self { extent: extent as u64, src: dim.src, dst: dim.dst, channels: dim.channels }
    }

    /// The loop in steps of `rounds` indices.
    pub(super) const fn in_steps(self, rounds: u64) -> Self {
        let by = rounds.cast_signed() as isize;
        let (src, dst) = (self.src.wrapping_mul(by), self.dst.wrapping_mul(by));
        Self { extent: self.extent.div_ceil(rounds), src, dst, ..self }
    }
}

impl BoundTile<'_> {
    /// Offsets of the first elements in the bindings of src and dst, in elements.
    pub(super) fn starts(&self) -> [u32; 2] {
        let sizes = self.task.arithmetic.sizes();
        [SRC, DST].map(|side| self.start_bytes[side] / sizes[side] as u32)
    }

    /// The dimensions, innermost first.
    pub(super) fn loops(&self) -> impl Iterator<Item = Loop> {
        let dims = self.region.dims().iter().zip(self.tile.extents).rev();
        dims.map(|(dim, extent)| Loop::of(dim, extent))
    }

    /// The grid for at least this many invocations.
    pub(super) fn grid_of(&self, invocations: u64) -> [u32; 2] {
        self.task.limits.grid(invocations.div_ceil(WORKGROUP_SIZE.into()))
    }
}

mirrors! {
    /// Mirrors `Dim` in `kernel/walk.wgsl`.
    struct WalkDim {
        extent: u32,
        src_stride: u32,
        dst_stride: u32,
        multiplier: u32,
    }

    /// Mirrors `Walk` in `kernel/walk.wgsl`.
    struct Walk {
        dims: [WalkDim; MAX_RANK],
        shifts: [u32; MAX_RANK],
        count: u32,
        src_start: u32,
        dst_start: u32,
        grid_width: u32,
        channel_dim: u32,
        first_channel: u32,
        turn_dim: u32,
        turn_extent: u32,
        turn_src: u32,
        turn_dst: u32,
        turn_channel: u32,
        /// Pads to the size of the WGSL struct.
        padding: u32,
    }
}

/// The constant `RANK` for so many dimensions: those with index `RANK` or higher have extent 1. It has few values, so that
/// tensors share pipelines.
pub(super) const fn rank_of(dims: usize) -> u32 {
    if dims == 0 { 0 } else { dims.next_power_of_two() as u32 }
}

impl Walk {
    /// Walks through `loops`, the first loop fastest: at most [`MAX_RANK`], since each belongs to another dimension of
    /// the region. An invocation takes some indices of one of them in turn. Returns the grid, too. Starts and strides are
    /// in elements.
    pub(super) fn over(tile: &BoundTile<'_>, mut loops: Vec<Loop>, turns: u32) -> (Self, [u32; 2]) {
        let turns = u64::from(turns);
        let all_turns = |along: &Loop| along.extent.min(turns);
        // The first of the loops with the most turns.
        let turned = (0..loops.len()).rev().max_by_key(|&d| all_turns(&loops[d])).unwrap_or_default();
        let whole = loops.get(turned).copied().unwrap_or(Loop::ONCE);
        if let Some(along) = loops.get_mut(turned) {
            *along = whole.in_steps(turns);
        }
        let mut walk = Self::of(tile, &loops);
        walk.turn_dim = turned as u32;
        walk.turn_extent = whole.extent as u32;
        [walk.turn_src, walk.turn_dst] = [whole.src, whole.dst].map(|stride| stride as u32);
        walk.turn_channel = whole.channels.into();
        let grid = tile.grid_of(walk.count.into());
        walk.grid_width = grid[0];
        (walk, grid)
    }

    /// Walks through `loops` without turns; `grid_width` is open. `count` is the product of their extents.
    pub(super) fn of(tile: &BoundTile<'_>, loops: &[Loop]) -> Self {
        let mut walk = Self::zeroed();
        let Division { multiplier, shift } = Division::by(1);
        walk.dims = [WalkDim { extent: 1, src_stride: 0, dst_stride: 0, multiplier }; MAX_RANK];
        walk.shifts = [shift; MAX_RANK];
        (walk.channel_dim, walk.turn_dim) = (u32::MAX, u32::MAX);
        walk.first_channel = tile.tile.first_channel as u32;
        for (d, &Loop { extent, src, dst, channels }) in loops.iter().enumerate() {
            let Division { multiplier, shift } = Division::by(extent as u32);
            if channels {
                walk.channel_dim = d as u32;
            }
            // The shader adds strides modulo 2^32. The sums are addresses within the binding, so they are exact.
            let (src_stride, dst_stride) = (src as u32, dst as u32);
            walk.dims[d] = WalkDim { extent: extent as u32, src_stride, dst_stride, multiplier };
            walk.shifts[d] = shift;
        }
        [walk.src_start, walk.dst_start] = tile.starts();
        walk.count = loops.iter().map(|along| along.extent).product::<u64>() as u32;
        walk
    }
}

/// Divides n < 2^31 by a divisor d: the upper word of 2n · `multiplier`, shifted right by `shift`.
///
/// Why the quotient is exact (Granlund and Montgomery, 1994):
///
/// 1. The shift is s = ⌈log2 d⌉, the multiplier m = ⌈2^(31 + s) / d⌉.
/// 2. Rounding adds less than 1 to m, so n · m / 2^(31 + s) exceeds n / d by less than n / 2^(31 + s) < 2^-s ≤ 1 / d.
/// 3. The fraction of n / d is at most 1 − 1 / d, so the excess changes no quotient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Division {
    pub(crate) multiplier: u32,
    pub(crate) shift: u32,
}

impl Division {
    /// Divides by `divisor`, from 1 to 2^31.
    pub(crate) fn by(divisor: u32) -> Self {
        let shift = divisor.next_power_of_two().trailing_zeros();
        let multiplier = (1_u64 << (31 + shift)).div_ceil(divisor.into());
        Self { multiplier: multiplier as u32, shift }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn quotients_are_exact(number in 0_u32..1 << 31, divisor in prop_oneof![1_u32..=1 << 31, 1_u32..1000]) {
            let Division { multiplier, shift } = Division::by(divisor);
            // Computes as `grid.wgsl` does. Multiples of the divisor, and the numbers just below them, are the hard
            // cases.
            let multiple = number / divisor * divisor;
            for number in [number, multiple, multiple.saturating_sub(1)] {
                let upper = (u64::from(number << 1) * u64::from(multiplier)) >> 32;
                prop_assert_eq!(upper as u32 >> shift, number / divisor);
            }
        }
    }
}
