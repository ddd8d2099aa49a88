//! Rows of packets without gaps on both sides, at any distance from a packet in src: two neighbours there make one
//! packet of dst. `row_edges` takes what is not in whole packets of dst, `row_last` a packet whose source is not in
//! whole packets of src.

use bytemuck::{Pod, Zeroable};

use super::region::{DST, Dim, Region, SRC};
use super::row::{Row, RowGeometry, RowUnit, packets_pay};
use super::row_edges::{self, EdgesGeometry, Packets, RowEdges, RowPackets};
use super::tile::{BoundTile, Dispatch, Launch, Loop};
use super::walk::{First, Items, Rank, Walk};
use super::{Claim, Claimant, Definition, PACKET, Placement, Task, Tiling, flag};
use crate::DType;
use crate::arithmetic::{AffineStep, Arithmetic, Class, Operators};
use crate::fragment::{Fragment, fragment};

/// Rows of dst that an invocation takes where a row of src is repeated, as many as `kernel/rows.wgsl` stores to.
pub(crate) const REPEATS: u64 = 8;

/// Mirrors `Geometry` in `kernel/rows.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Geometry {
    pub(crate) walk: Walk,
    pub(crate) row: RowGeometry,
    pub(crate) edges: EdgesGeometry,
    pub(crate) repeats: u32,
    pub(crate) repeated_rows: u32,
    pub(crate) repeat_pitch: u32,
    pub(crate) last_src: u32,
    pub(crate) last_dst: u32,
    pub(crate) last_channel: u32,
    /// To the size of the WGSL struct.
    pub(crate) padding: [u32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EntryPoint {
    /// The whole packets.
    Rows(Body),
    /// What lies before and behind them.
    Edges(RowEdges),
    /// The one packet whose source is not in whole packets.
    Last(RowUnit),
}

/// The entry point `rows`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Body {
    pub(crate) rank: Rank,
    pub(crate) by: By,
    /// `SHIFTED`: whether a row in src may lie at another distance from a packet than in dst.
    pub(crate) shifted: bool,
}

/// What an invocation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum By {
    /// Up to four packets of each of some rows, which have no more.
    Rows(Items, Packets),
    /// Four or eight packets of a row.
    Segments(Packets),
    /// Four packets of a row of src, for several rows of dst.
    Repeated,
}

impl By {
    pub(crate) const fn first(self) -> First {
        match self {
            Self::Rows(items, _) => First::Items(items),
            Self::Segments(_) | Self::Repeated => First::Segments,
        }
    }

    pub(crate) const fn packets(self) -> Packets {
        match self {
            Self::Rows(_, packets) | Self::Segments(packets) => packets,
            Self::Repeated => Packets::Four,
        }
    }

    fn all(dtype: DType) -> impl Iterator<Item = Self> {
        let items = Items::all(dtype).into_iter();
        let packets = [Packets::One, Packets::Two, Packets::Four];
        items.flat_map(move |items| packets.map(|packets| Self::Rows(items, packets))).chain([
            Self::Segments(Packets::Four),
            Self::Segments(Packets::Eight),
            Self::Repeated,
        ])
    }
}

impl EntryPoint {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Rows(_) => "rows",
            Self::Edges(_) => RowEdges::NAME,
            Self::Last(_) => "row_last",
        }
    }

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Rows(Body { rank, by, shifted }) => {
                let mut constants = vec![rank.constant(), by.packets().constant()];
                constants.extend(by.first().constants());
                constants.extend([flag("SHIFTED", shifted), flag("REPEATED", by == By::Repeated)]);
                constants
            }
            Self::Edges(edges) => edges.constants(),
            Self::Last(unit) => unit.constants(),
        }
    }
}

pub(super) struct Rows;

impl Claimant for Rows {
    /// An exact step of F64 takes so long that packets save nothing, and its many copies here take long to compile.
    fn serves(&self, arithmetic: Arithmetic, _: Placement) -> bool {
        let long = (arithmetic.class(), arithmetic.step) == (Class::Float64, AffineStep::Exact);
        arithmetic.one_size().is_some() && !long
    }

    fn claim(&self, task: &Task, region: &Region) -> Option<Claim> {
        let row = region.dims().last().filter(|dim| (dim.src, dim.dst) == (1, 1) && !dim.channels)?;
        let pays = packets_pay(task, region, row.extent);
        pays.then(|| Claim::all("rows without gaps on both sides, long enough for packets"))
    }
}

impl Definition for Rows {
    fn tiling(&self, task: &Task) -> Tiling {
        row_edges::tiling(task, 3)
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let row = Row::of(tile);
        let packets = RowPackets::of(tile, &row);
        let whole = packets.most;
        let shifted = is_shifted(tile, &row);
        let in_reach = !shifted || tile.src_size.is_multiple_of(PACKET as u64);
        let pays_to_repeat = in_reach && !packets.ragged && whole >= 4;
        let repeated = if pays_to_repeat { repeated(tile, &row) } else { None };
        let many = if repeated.is_some() { Packets::Four } else { Packets::Eight };
        let per_invocation = packets.per_invocation(many);
        let segments = whole.div_ceil(per_invocation as u64);
        let (mut walk, rank, by) = match repeated {
            Some(repeated) => {
                let (walk, rank) = over_repeated(tile, &row, segments, repeated);
                (walk, rank, By::Repeated)
            }
            None => match Walk::over_rows(tile, row.dims, segments) {
                (walk, rank, First::Items(items)) => (walk, rank, By::Rows(items, per_invocation)),
                (walk, rank, First::Segments) => (walk, rank, By::Segments(per_invocation)),
            },
        };
        // If all outer src strides are at least 16 bytes, only the furthest row can end past the last whole src packet.
        let outer = tile.outer(row.dims);
        let one = outer.iter().all(|dim| dim.src.unsigned_abs() as u64 * tile.size() >= PACKET as u64);
        let with_last = !in_reach && !one;
        let body_grid = walk.grid(tile);
        let src_packets = tile.src_size / PACKET as u64;
        let (edges, edges_grid) =
            EdgesGeometry::new(tile, (&walk, by.first(), segments), src_packets, with_last);
        let mut geometry = Geometry { walk, row: row.geometry(), edges, ..Geometry::zeroed() };
        let ([last_src, last_dst], last_channel) = furthest(tile, &row);
        geometry = Geometry { last_src, last_dst, last_channel, ..geometry };
        if let Some(repeated) = repeated {
            geometry.repeats = repeated.extent.min(REPEATS) as u32;
            geometry.repeated_rows = repeated.extent as u32;
            geometry.repeat_pitch = (repeated.dst / tile.per_packet().cast_signed()) as u32;
        }

        let unit = RowUnit::of(tile, &row);
        let dispatch = |needed: bool, entry_point, grid| {
            needed.then_some(Dispatch { entry_point: super::EntryPoint::Rows(entry_point), grid })
        };
        let body = EntryPoint::Rows(Body { rank, by, shifted });
        let at_ends = EntryPoint::Edges(RowEdges { rank, first: by.first(), with_last, unit });
        let last = EntryPoint::Last(unit);
        Launch::new(
            &geometry,
            [
                dispatch(segments > 0, body, body_grid),
                dispatch(packets.ragged || with_last, at_ends, edges_grid),
                dispatch(segments > 0 && !in_reach && one, last, [1, 1]),
            ],
        )
    }

    fn fragments(&self, arithmetic: Arithmetic, _: Operators) -> Vec<Fragment> {
        let mut fragments = row_edges::fragments(arithmetic);
        fragments.extend([
            fragment!("kernel/rows"),
            fragment!("kernel/funnel"),
            fragment!("kernel/across"),
            arithmetic.packet_fragment(),
        ]);
        fragments
    }

    fn entry_points(&self, arithmetic: Arithmetic) -> Vec<super::EntryPoint> {
        let dtype = arithmetic.dtype;
        let mut all = Vec::new();
        for rank in Rank::ALL {
            for by in By::all(dtype) {
                all.extend([false, true].map(|shifted| EntryPoint::Rows(Body { rank, by, shifted })));
            }
        }
        all.extend(RowEdges::all(dtype, &[false, true]).into_iter().map(EntryPoint::Edges));
        all.extend(RowUnit::all(dtype).into_iter().map(EntryPoint::Last));
        all.into_iter().map(super::EntryPoint::Rows).collect()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        super::twin!("Geometry", Geometry: walk row edges repeats repeated_rows repeat_pitch last_src last_dst last_channel)
    }
}

/// Whether a row in src may lie at another distance from a packet than in dst. Never in place: an invocation then loads
/// only packets that it stores.
fn is_shifted(tile: &BoundTile<'_>, row: &Row) -> bool {
    let [src, dst] = tile.phases();
    let alike = |dim: &Dim| dim.src.wrapping_sub(dim.dst).unsigned_abs().is_multiple_of(tile.per_packet());
    !(src == dst && tile.outer(row.dims).iter().all(alike))
}

/// The dimension that repeats a row of src most often.
fn repeated(tile: &BoundTile<'_>, row: &Row) -> Option<Loop> {
    tile.nearest_first(row.dims)
        .filter(|dim| dim.src == 0 && dim.extent > 1 && !dim.channels)
        .max_by_key(|dim| dim.extent)
}

/// Through rows of whole packets in so many segments each, several rows of dst per invocation.
fn over_repeated(tile: &BoundTile<'_>, row: &Row, segments: u64, repeated: Loop) -> (Walk, Rank) {
    let repeats = repeated.extent.min(REPEATS);
    let batches = Loop {
        extent: repeated.extent.div_ceil(repeats),
        dst: repeated.dst.wrapping_mul(repeats.cast_signed() as isize),
        ..Loop::ONCE
    };
    let others = tile.nearest_first(row.dims).filter(|&dim| dim != repeated);
    Walk::over_segments(tile, segments, [batches].into_iter().chain(others))
}

/// Where the row that goes furthest in src starts in src and dst, in elements, and its channel.
fn furthest(tile: &BoundTile<'_>, row: &Row) -> ([u32; 2], u32) {
    let mut starts = tile.start_bytes.map(|start| start / tile.size() as u32);
    let mut channel = tile.tile.first_channel as u32;
    for Loop { extent, src, dst, channels } in tile.loops().skip(row.dims).filter(|dim| dim.src > 0) {
        let last = (extent - 1) as u32;
        channel += if channels { last } else { 0 };
        for (side, stride) in [(SRC, src), (DST, dst)] {
            starts[side] = starts[side].wrapping_add(last.wrapping_mul(stride as u32));
        }
    }
    (starts, channel)
}
