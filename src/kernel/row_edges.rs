//! Rows as packets of dst: which are whole, and what lies before and behind these. The host's half of
//! `kernel/row_edges.wgsl`.

use bytemuck::{Pod, Zeroable};

use super::region::{DST, same_phase};
use super::row::{Row, RowUnit};
use super::tile::BoundTile;
use super::walk::{First, Rank, Walk};
use super::{PACKET, Task, Tiling, flag, load_fragments, per_word, size_fragment, store_fragments};
use crate::DType;
use crate::arithmetic::Arithmetic;
use crate::fragment::{Fragment, fragment};

/// The most invocations per row of `row_edges`: sixteen, for up to twice as many rows as there are.
const MOST_PER_ROW: u64 = 32;

/// How regions of rows are cut. A tile may be as narrow as an element in each row.
pub(super) fn tiling(task: &Task, dispatches: usize) -> Tiling {
    let of_elements = Tiling::of_elements(task);
    Tiling { most: of_elements.most / MOST_PER_ROW, dispatches, ..of_elements }
}

/// Mirrors `Edges` in `kernel/row_edges.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct EdgesGeometry {
    pub(crate) rows: u32,
    pub(crate) src_packets: u32,
    pub(crate) shift: u32,
    pub(crate) grid_width: u32,
}

/// The constant `PACKETS`: those of a row that an invocation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Packets {
    One = 1,
    Two = 2,
    Four = 4,
    Eight = 8,
    Sixteen = 16,
}

impl Packets {
    pub(super) fn constant(self) -> (&'static str, f64) {
        ("PACKETS", f64::from(self as u8))
    }
}

/// The whole packets of rows in dst.
pub(super) struct RowPackets {
    /// The most that a row has.
    pub(super) most: u64,
    /// Whether rows have elements beside them.
    pub(super) ragged: bool,
}

impl RowPackets {
    pub(super) fn of(tile: &BoundTile<'_>, row: &Row) -> Self {
        let packet = PACKET as u64;
        let bytes = row.length * tile.size();
        let same = same_phase(DST, tile.per_packet(), tile.outer(row.dims));
        let begin = tile.phases()[DST];
        let most = if same {
            ((begin + bytes) / packet).saturating_sub(begin.div_ceil(packet))
        } else {
            bytes / packet
        };
        Self { most, ragged: !(same && begin == 0 && bytes.is_multiple_of(packet)) }
    }

    /// How many of a row an invocation takes: all of a short one, `many` of a long one.
    pub(super) const fn per_invocation(&self, many: Packets) -> Packets {
        match self.most {
            0 | 1 => Packets::One,
            2 => Packets::Two,
            3..16 => Packets::Four,
            _ => many,
        }
    }
}

impl EdgesGeometry {
    /// Of the rows that `walk` goes through in so many segments each, with the width of the grid that is returned.
    /// `src_packets` are the whole ones in the binding of src. `with_last`: whether `row_edges` takes the packets that
    /// `row_last` would, where there may be one in many rows.
    pub(super) fn new(
        tile: &BoundTile<'_>,
        (walk, first, segments): (&Walk, First, u64),
        src_packets: u64,
        with_last: bool,
    ) -> (Self, [u32; 2]) {
        let rows = walk.count / segments.max(1) as u32 * first.items();
        let src_packets = src_packets.min(u32::MAX.into()) as u32;
        let shift = if with_last { 4 } else { 3 };
        let grid = tile.grid_of(u64::from(rows) << shift);
        (Self { rows, src_packets, shift, grid_width: grid[0] }, grid)
    }
}

/// The entry point `row_edges`: what lies before and behind the whole packets of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RowEdges {
    pub(crate) rank: Rank,
    pub(crate) first: First,
    /// `WITH_LAST`: whether it takes the packets that `row_last` would.
    pub(crate) with_last: bool,
    pub(crate) unit: RowUnit,
}

impl RowEdges {
    pub(super) const NAME: &str = "row_edges";

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        let mut constants = vec![self.rank.constant(), flag("WITH_LAST", self.with_last)];
        constants.extend(self.first.constants());
        constants.extend(self.unit.constants());
        constants
    }

    pub(super) fn all(dtype: DType, with_last: &[bool]) -> Vec<Self> {
        let mut all = Vec::new();
        for rank in Rank::ALL {
            for first in First::all(dtype) {
                for &with_last in with_last {
                    let of_unit = |unit| Self { rank, first, with_last, unit };
                    all.extend(RowUnit::all(dtype).into_iter().map(of_unit));
                }
            }
        }
        all
    }
}

/// The fragments of kernels with rows of packets, beside their own.
pub(super) fn fragments(arithmetic: Arithmetic) -> Vec<Fragment> {
    let mut fragments = RowUnit::fragments(arithmetic.dtype);
    fragments.extend([
        fragment!("kernel/row_edges"),
        fragment!("kernel/walk"),
        fragment!("kernel/divide"),
        fragment!("kernel/items"),
        fragment!("kernel/row"),
        fragment!("packet/units"),
    ]);
    fragments.extend(load_fragments(arithmetic));
    fragments.push(size_fragment(arithmetic.dtype.size()));
    if per_word(arithmetic.dtype) == 1 {
        fragments.extend(store_fragments(arithmetic));
    }
    fragments
}
