//! Pixels, components next to each other, to planes of a component each, or the other way; or a run of elements to
//! one of another size, which is pixels of one component. With a conversion or without, row by row.

use bytemuck::{Pod, Zeroable};

use super::region::{DST, Dim, Region, SRC, same_phase};
use super::tile::{BoundTile, Dispatch, Launch, Loop};
use super::walk::{Rank, Walk};
use super::{
    Claim, Claimant, Cut, Definition, PACKET, Placement, Task, Tiling, WORD, flag, load_fragments, size_fragment,
    store_fragments,
};
use crate::arithmetic::{AffineStep, Arithmetic, Operators};
use crate::fragment::{Fragment, fragment};

/// Invocations of `pixel_edges` for each row: sixteen for each of up to four planes.
pub(crate) const EDGES_PER_ROW: u64 = 64;

/// A claim of fewer units is not worth three dispatches.
const LEAST_UNITS: usize = 4;

/// Mirrors `Geometry` in `kernel/pixels.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Geometry {
    pub(crate) walk: Walk,
    pub(crate) units: u32,
    pub(crate) plane_step: u32,
    pub(crate) channel_step: u32,
    pub(crate) edge_rows: u32,
    pub(crate) edge_grid_width: u32,
    /// To the size of the WGSL struct.
    pub(crate) padding: [u32; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EntryPoint {
    /// Whole packets.
    Units(Units),
    /// What lies before and behind them.
    Edges(Edges),
}

/// The entry points `to_planes` and `to_pixels`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Units {
    pub(crate) rank: Rank,
    pub(crate) shape: PixelShape,
    /// `SRC_SHIFTED`, `DST_SHIFTED`: whether units may begin within packets.
    pub(crate) shifted: [bool; 2],
}

/// The entry point `pixel_edges`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Edges {
    pub(crate) rank: Rank,
    pub(crate) shape: PixelShape,
}

/// On which side the pixels are, and what is taken of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PixelShape {
    /// [`SRC`] or [`DST`].
    pub(crate) side: usize,
    /// `COMPONENTS`: from the start of a pixel to the next, in elements: 1 to 4.
    pub(crate) components: u8,
    /// `TAKEN`: those of a pixel that are taken.
    pub(crate) taken: u8,
}

impl PixelShape {
    fn all() -> impl Iterator<Item = Self> {
        let taken = |side, components| (1..=components).map(move |taken| Self { side, components, taken });
        [SRC, DST].into_iter().flat_map(move |side| {
            (1..=4_u8).flat_map(move |components| taken(side, components)).filter(Self::occurs)
        })
    }

    /// One component is no pixel, and taken as if src had it.
    const fn occurs(&self) -> bool {
        self.side == SRC || self.components > 1
    }

    fn constants(self) -> Vec<(&'static str, f64)> {
        vec![("COMPONENTS", self.components.into()), ("TAKEN", self.taken.into())]
    }
}

impl Units {
    /// Units of a row that an invocation takes: `UNITS`.
    pub(crate) const fn units(&self) -> u32 {
        match self.shifted {
            [false, false] => 2,
            _ => 8,
        }
    }
}

impl EntryPoint {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Units(Units { shape: PixelShape { side: SRC, .. }, .. }) => "to_planes",
            Self::Units(_) => "to_pixels",
            Self::Edges(_) => "pixel_edges",
        }
    }

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Units(units) => {
                let mut constants = units.shape.constants();
                let [src, dst] = units.shifted;
                constants.extend([
                    units.rank.constant(),
                    flag("SRC_SHIFTED", src),
                    flag("DST_SHIFTED", dst),
                    ("UNITS", units.units().into()),
                ]);
                constants
            }
            Self::Edges(Edges { rank, shape }) => {
                let mut constants = shape.constants();
                constants.extend([rank.constant(), flag("PIXELS_IN_DST", shape.side == DST)]);
                constants
            }
        }
    }
}

/// Pixels as dimensions of a region.
struct Found {
    shape: PixelShape,
    /// The dimension of pixels in a row.
    along: usize,
    /// That of components, if more than one is taken.
    across: Option<usize>,
}

impl Found {
    /// In the dimensions of a region.
    fn of(dims: &[Dim]) -> Option<Self> {
        let pitch = |stride: isize| (1..=4).contains(&stride).then_some(stride as u8);
        let pixels_on = |side: usize| {
            let stride = |dim: &Dim, on: usize| [dim.src, dim.dst][on];
            let along = dims.iter().rposition(|dim| {
                stride(dim, 1 - side) == 1 && pitch(stride(dim, side)).is_some() && !dim.channels
            })?;
            let components = pitch(stride(&dims[along], side))?;
            let across = dims.iter().enumerate().position(|(d, dim)| {
                d != along && stride(dim, side).abs() == 1 && dim.extent <= components.into()
            });
            let taken = across.map_or(1, |d| dims[d].extent as u8);
            let shape = PixelShape { side, components, taken };
            shape.occurs().then_some(Self { shape, along, across })
        };
        // A row of pixels in dst may have one component of each in src too.
        [SRC, DST].into_iter().filter_map(pixels_on).max_by_key(|found| found.shape.taken)
    }

    /// The region's dimensions but these, innermost first.
    fn others(&self, dims: &[Dim]) -> impl Iterator<Item = Dim> {
        let Self { along, across, .. } = *self;
        let others = dims.iter().enumerate().rev().filter(move |&(d, _)| d != along && Some(d) != across);
        others.map(|(_, dim)| *dim)
    }
}

/// Pixels of a unit.
fn unit_pixels(task: &Task) -> usize {
    let [src, dst] = task.arithmetic.sizes();
    PACKET / src.min(dst)
}

/// Whether all units of a region begin at packets on one side.
fn is_aligned(task: &Task, region: &Region, found: &Found, side: usize) -> bool {
    let packet = PACKET / task.arithmetic.sizes()[side];
    let dims = region.dims();
    let start = match found.across {
        // The first component in memory.
        Some(d) if found.shape.side == side && side == SRC && dims[d].src < 0 => {
            region.starts[SRC].wrapping_add_signed(-(dims[d].extent as isize - 1))
        }
        _ => region.starts[side],
    };
    let planes = found.across.filter(|_| found.shape.side != side).map(|d| dims[d]);
    start.is_multiple_of(packet)
        && found.others(dims).chain(planes).all(|dim| same_phase(side, packet, &[dim]))
}

/// Whether rows of pixels in dst lie one behind the other: each stride is at least what the smaller ones span.
fn rows_are_apart(region: &Region, found: &Found) -> bool {
    let row = region.dims()[found.along];
    let mut span = row.extent * usize::from(found.shape.components);
    // Innermost first, by the stride of dst.
    found.others(region.dims()).all(|dim| {
        let stride = dim.dst.unsigned_abs();
        let apart = stride >= span;
        span = span.saturating_add(stride.saturating_mul(dim.extent - 1));
        apart
    })
}

pub(super) struct Pixels;

impl Claimant for Pixels {
    fn serves(&self, arithmetic: Arithmetic, _: Placement) -> bool {
        arithmetic.sizes().iter().all(|&size| size <= 4)
    }

    fn claim(&self, task: &Task, region: &Region) -> Option<Claim> {
        let found = Found::of(region.dims())?;
        let PixelShape { side, components, taken } = found.shape;
        let sizes = task.arithmetic.sizes();
        // Elements of one size in rows are others' work.
        if components == 1 && sizes[SRC] == sizes[DST] {
            return None;
        }
        let row = region.dims()[found.along];
        let [src_aligned, dst_aligned] = [SRC, DST].map(|side| is_aligned(task, region, &found, side));
        // Packets of dst in which something stays are loaded too: none may hold what another invocation stores, or
        // loads as src.
        let stays = side == DST && taken < components;
        if stays && !(dst_aligned && task.placement != Placement::OneBuffer && rows_are_apart(region, &found))
        {
            return None;
        }
        // The last packet of src is whole if enough bytes lie behind what is taken.
        let all_of_last = side == DST || taken == components;
        let pitch = if side == SRC { usize::from(components) } else { 1 } * sizes[SRC];
        let behind_in_src = if src_aligned && all_of_last { 0 } else { PACKET.div_ceil(pitch) };
        // So is that of dst in which something stays.
        let behind = behind_in_src.max(usize::from(stays));
        let unit = unit_pixels(task);
        let whole = row.extent.saturating_sub(behind) / unit * unit;
        if whole < LEAST_UNITS * unit {
            return None;
        }
        Some(Claim {
            cuts: [Some(Cut { dim: found.along, first: 0, extent: whole }), None],
            ends: [PACKET, if stays { PACKET } else { WORD }].map(|end| end as u64),
            ..Claim::all(match (side, components) {
                (_, 1) => "rows without gaps on both sides, of elements of another size",
                (SRC, _) => "pixels to planes, by whole packets",
                _ => "planes to pixels, by whole packets",
            })
        })
    }
}

impl Definition for Pixels {
    fn tiling(&self, task: &Task) -> Tiling {
        // A row is a unit at least, of four pixels.
        let per_element = EDGES_PER_ROW / 4;
        let most = task.limits.invocations() / per_element;
        Tiling { quantum: unit_pixels(task), most: most.min(i32::MAX as u64 / per_element), dispatches: 2 }
    }

    fn multiple(&self, region: &Region, d: usize, task: &Task) -> usize {
        let dim = &region.dims()[d];
        match (dim.src.unsigned_abs(), dim.dst.unsigned_abs(), dim.extent) {
            // Components in dst are stored together.
            (_, 1, ..=4) => dim.extent,
            // Pixels.
            (..=4, ..=4, 5..) => unit_pixels(task),
            _ => 1,
        }
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let region = tile.bound_region();
        let mut found = Found::of(tile.region.dims()).expect("the claim found them");
        if let Some(d) = found.across {
            found.shape.taken = region.dims()[d].extent as u8;
        }
        let shape = found.shape;
        let task = tile.task;
        let shifted = [SRC, DST].map(|side| !is_aligned(task, &region, &found, side));
        let units = region.dims()[found.along].extent as u64 / unit_pixels(task) as u64;
        let mut geometry = Geometry::zeroed();
        let mut entry = Units { rank: Rank::One, shape, shifted };
        let segments = units.div_ceil(entry.units().into());
        let (mut walk, rank) = Walk::over_segments(
            tile,
            segments,
            found.others(region.dims()).map(|dim| Loop::of(&dim, dim.extent)),
        );
        entry.rank = rank;
        if let Some(dim) = found.across.map(|d| region.dims()[d]) {
            let last = dim.extent as isize - 1;
            // The first component in memory, and its plane.
            let backwards = [dim.src, dim.dst][shape.side] < 0;
            if backwards {
                walk.src_start = walk.src_start.wrapping_add((dim.src * last) as u32);
                walk.dst_start = walk.dst_start.wrapping_add((dim.dst * last) as u32);
            }
            let step = |stride: isize| (if backwards { -stride } else { stride }) as u32;
            geometry.plane_step = step([dim.src, dim.dst][1 - shape.side]);
            if dim.channels {
                geometry.channel_step = step(1);
                walk.first_channel += if backwards { last as u32 } else { 0 };
            }
        }
        let rows = u64::from(walk.count) / segments;
        let grid = walk.grid(tile);
        let edge_grid = tile.grid_of(rows * EDGES_PER_ROW);
        geometry.walk = walk;
        geometry.units = units as u32;
        geometry.edge_rows = rows as u32;
        geometry.edge_grid_width = edge_grid[0];
        let dispatch =
            |entry_point, grid| Some(Dispatch { entry_point: super::EntryPoint::Pixels(entry_point), grid });
        let edges = EntryPoint::Edges(Edges { rank, shape });
        Launch::new(
            &geometry,
            [
                dispatch(EntryPoint::Units(entry), grid),
                if shifted[DST] { dispatch(edges, edge_grid) } else { None },
                None,
            ],
        )
    }

    fn fragments(&self, arithmetic: Arithmetic, _: Operators) -> Vec<Fragment> {
        let [src, dst] = arithmetic.sizes();
        let mut fragments = vec![
            fragment!("kernel/pixels"),
            fragment!("kernel/columns"),
            fragment!("kernel/across"),
            fragment!("kernel/walk"),
            fragment!("kernel/divide"),
            fragment!("packet/units"),
            if arithmetic.step == AffineStep::Exact {
                fragment!("kernel/looped")
            } else {
                fragment!("kernel/unrolled")
            },
            match src {
                1 => fragment!("kernel/split8"),
                2 => fragment!("kernel/split16"),
                _ => fragment!("kernel/split32"),
            },
            match dst {
                1 => fragment!("kernel/merge8"),
                2 => fragment!("kernel/merge16"),
                _ => fragment!("kernel/merge32"),
            },
            match src {
                1 => fragment!("access/from8"),
                2 => fragment!("access/from16"),
                _ => fragment!("access/from32"),
            },
        ];
        if src == dst {
            fragments.extend([fragment!("quad/same"), arithmetic.packet_fragment()]);
        } else {
            fragments.push(match src {
                1 => fragment!("quad/from8"),
                2 => fragment!("quad/from16"),
                _ => fragment!("quad/from32"),
            });
            fragments.push(match dst {
                1 => fragment!("quad/to8"),
                2 => fragment!("quad/to16"),
                _ => fragment!("quad/to32"),
            });
        }
        fragments.extend(load_fragments(arithmetic));
        fragments.extend(store_fragments(arithmetic));
        if dst == 4 {
            fragments.push(size_fragment(dst));
        }
        fragments
    }

    fn entry_points(&self, arithmetic: Arithmetic) -> Vec<super::EntryPoint> {
        let mut all = Vec::new();
        let one_size = arithmetic.one_size().is_some();
        for rank in Rank::ALL {
            for shape in PixelShape::all().filter(|shape| !one_size || shape.components > 1) {
                for shifted in [[false, false], [false, true], [true, false], [true, true]] {
                    if shape.side == SRC || shape.taken == shape.components || !shifted[DST] {
                        all.push(EntryPoint::Units(Units { rank, shape, shifted }));
                    }
                }
                if shape.side == SRC || shape.taken == shape.components {
                    all.push(EntryPoint::Edges(Edges { rank, shape }));
                }
            }
        }
        all.into_iter().map(super::EntryPoint::Pixels).collect()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        super::twin!("Geometry", Geometry: walk units plane_step channel_step edge_rows edge_grid_width)
    }
}
