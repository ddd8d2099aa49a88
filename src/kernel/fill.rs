//! Rows of packets in dst, of one element of src each. `row_edges` takes what is not in whole packets.

use bytemuck::{Pod, Zeroable};

use super::region::Region;
use super::row::{Row, RowGeometry, RowUnit, packets_pay};
use super::row_edges::{self, EdgesGeometry, Packets, RowEdges, RowPackets};
use super::tile::{BoundTile, Dispatch, Launch};
use super::walk::{First, Items, Rank, Walk};
use super::{Claim, Claimant, Definition, Placement, Task, Tiling};
use crate::arithmetic::{Arithmetic, Operators};
use crate::fragment::{Fragment, fragment};

/// Mirrors `Geometry` in `kernel/fill.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Geometry {
    pub(crate) walk: Walk,
    pub(crate) row: RowGeometry,
    pub(crate) edges: EdgesGeometry,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EntryPoint {
    /// The whole packets.
    Fill(Body),
    /// What lies before and behind them.
    Edges(RowEdges),
}

/// The entry point `fill`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Body {
    pub(crate) rank: Rank,
    pub(crate) first: First,
    pub(crate) packets: Packets,
}

impl EntryPoint {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Fill(_) => "fill",
            Self::Edges(_) => RowEdges::NAME,
        }
    }

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Fill(Body { rank, first, packets }) => {
                let mut constants = vec![rank.constant(), packets.constant()];
                constants.extend(first.constants());
                constants
            }
            Self::Edges(edges) => edges.constants(),
        }
    }
}

pub(super) struct Fill;

impl Claimant for Fill {
    /// An entry point sees a binding as words or as packets; this one loads a word of src and stores packets of dst.
    fn serves(&self, _: Arithmetic, placement: Placement) -> bool {
        placement == Placement::TwoBuffers
    }

    fn claim(&self, task: &Task, region: &Region) -> Option<Claim> {
        let row = region.dims().last().filter(|dim| (dim.src, dim.dst) == (0, 1) && !dim.channels)?;
        let pays = packets_pay(task, region, row.extent);
        pays.then(|| Claim::all("rows of one element each, long enough for packets"))
    }
}

impl Definition for Fill {
    fn tiling(&self, task: &Task) -> Tiling {
        row_edges::tiling(task, 2)
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let row = Row::of(tile);
        let whole = RowPackets::of(tile, &row);
        let packets = whole.per_invocation(Packets::Sixteen);
        let segments = whole.most.div_ceil(packets as u64);
        let (mut walk, rank, first) = Walk::over_rows(tile, row.dims, segments);
        let body_grid = walk.grid(tile);
        // No packet of src is loaded, so none is out of reach.
        let (edges, edges_grid) = EdgesGeometry::new(tile, (&walk, first, segments), u64::MAX, false);
        let dispatch = |needed: bool, entry_point, grid| {
            needed.then_some(Dispatch { entry_point: super::EntryPoint::Fill(entry_point), grid })
        };
        let body = EntryPoint::Fill(Body { rank, first, packets });
        let unit = RowUnit::of(tile, &row);
        let at_ends = EntryPoint::Edges(RowEdges { rank, first, with_last: false, unit });
        Launch::new(
            &Geometry { walk, row: row.geometry(), edges },
            [dispatch(segments > 0, body, body_grid), dispatch(whole.ragged, at_ends, edges_grid), None],
        )
    }

    fn fragments(&self, arithmetic: Arithmetic, _: Operators) -> Vec<Fragment> {
        let mut fragments = row_edges::fragments(arithmetic);
        fragments.push(fragment!("kernel/fill"));
        fragments.push(match arithmetic.dtype.size() {
            1 => fragment!("packet/splat8"),
            2 => fragment!("packet/splat16"),
            4 => fragment!("packet/splat32"),
            _ => fragment!("packet/splat64"),
        });
        fragments
    }

    fn entry_points(&self, arithmetic: Arithmetic) -> Vec<super::EntryPoint> {
        let dtype = arithmetic.dtype;
        let mut all = Vec::new();
        for rank in Rank::ALL {
            for items in Items::all(dtype) {
                let first = First::Items(items);
                let packets = [Packets::One, Packets::Two, Packets::Four, Packets::Sixteen];
                all.extend(packets.map(|packets| EntryPoint::Fill(Body { rank, first, packets })));
            }
            let first = First::Segments;
            let packets = [Packets::Four, Packets::Sixteen];
            all.extend(packets.map(|packets| EntryPoint::Fill(Body { rank, first, packets })));
        }
        all.extend(RowEdges::all(dtype, &[false]).into_iter().map(EntryPoint::Edges));
        all.into_iter().map(super::EntryPoint::Fill).collect()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        super::twin!("Geometry", Geometry: walk row edges)
    }
}
