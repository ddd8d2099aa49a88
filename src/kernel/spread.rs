//! Groups of 8- or 16-bit elements, one in each word of dst and none in two: whole packets of dst, in which only the
//! groups change. Groups in src follow one another without gaps, or lie in words too. Between two buffers or in
//! place.

use bytemuck::{Pod, Zeroable};

use super::region::{DST, Dim, Region, SRC, same_phase};
use super::row::{Row, RowGeometry};
use super::tile::{BoundTile, Launch, Loop};
use super::walk::{Rank, Walk};
use super::{Claim, Claimant, Cut, Definition, PACKET, Placement, Task, Tiling, WORD, flag, per_word, size_fragment};
use crate::arithmetic::{Arithmetic, Operators};
use crate::fragment::{Fragment, fragment};

/// Groups that an invocation takes: those of four packets.
pub(crate) const GROUPS: usize = 16;

/// Mirrors `Geometry` in `kernel/spread.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Geometry {
    pub(crate) walk: Walk,
    pub(crate) row: RowGeometry,
    pub(crate) word_mask: u32,
    pub(crate) word_shift: u32,
    /// To the size of the WGSL struct.
    pub(crate) padding: [u32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EntryPoint {
    pub(crate) rank: Rank,
    /// `GROUP_PITCH`: from a group of src to the next, in bytes: 1 to 4.
    pub(crate) group_pitch: u8,
    /// `SHIFTED`: whether the first group may begin within a packet of src.
    pub(crate) shifted: bool,
}

impl EntryPoint {
    #[expect(clippy::unused_self, reason = "as those of the other kernels")]
    pub(super) const fn name(self) -> &'static str {
        "spread"
    }

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        let Self { rank, group_pitch, shifted } = self;
        vec![rank.constant(), flag("SHIFTED", shifted), ("GROUP_PITCH", group_pitch.into())]
    }
}

pub(super) struct Spread;

impl Claimant for Spread {
    fn serves(&self, arithmetic: Arithmetic, placement: Placement) -> bool {
        per_word(arithmetic.dtype) > 1 && arithmetic.one_size().is_some() && placement != Placement::TwoRanges
    }

    fn claim(&self, task: &Task, region: &Region) -> Option<Claim> {
        let (packet, per_word) = (task.per_packet(), task.per_word());
        let dims = region.dims();
        let row = dims.last().filter(|dim| (dim.src, dim.dst) == (1, 1) && !dim.channels);
        let length = row.map_or(1, |dim| dim.extent);
        let along = dims.len().checked_sub(1 + usize::from(row.is_some()))?;
        let (groups, outer) = (dims[along], &dims[..along]);
        let in_words =
            groups.dst == per_word.cast_signed() && region.starts[DST] % per_word + length <= per_word;
        let near = [length, per_word].map(usize::cast_signed).contains(&groups.src);
        if groups.channels || !in_words || !near || !same_phase(DST, packet, outer) {
            return None;
        }
        // In one buffer, words of dst may hold elements of src that others load.
        if task.placement == Placement::OneBuffer && !task.in_place(region) {
            return None;
        }
        let per_packet = packet / per_word;
        let head = (per_packet - region.starts[DST] / per_word % per_packet) % per_packet;
        let rest = groups.extent.checked_sub(head)?;
        // Where groups do not end at packets in src, the last packet takes groups behind it.
        let pitch = groups.src.unsigned_abs();
        let lane = if same_lane(region, &groups, per_word) { region.starts[DST] % per_word } else { 0 };
        let first = region.starts[SRC] + head * pitch - lane;
        let aligned = first.is_multiple_of(packet) && same_phase(SRC, packet, outer);
        let behind = if aligned { 0 } else { packet.div_ceil(pitch) };
        let whole = rest.saturating_sub(behind) / GROUPS * GROUPS;
        // Below this the words do as well.
        if whole < 4 * GROUPS {
            return None;
        }
        Some(Claim {
            cuts: [Some(Cut { dim: along, first: head, extent: whole }), None],
            // Whole packets of src are loaded, up to 15 bytes behind the groups, where others are left.
            ends: [PACKET as u64, WORD as u64],
            ..Claim::all("one group of elements in each word of dst, without gaps or in words in src")
        })
    }
}

impl Definition for Spread {
    fn tiling(&self, task: &Task) -> Tiling {
        Tiling { quantum: GROUPS, ..Tiling::of_elements(task) }
    }

    fn multiple(&self, region: &Region, d: usize, task: &Task) -> usize {
        let dim = &region.dims()[d];
        if dim.dst == task.per_word().cast_signed() { GROUPS } else { 1 }
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let row = Row::of(tile);
        let outer = tile.outer(row.dims + 1);
        let groups = tile.loops().nth(row.dims).unwrap_or(Loop::ONCE);
        let along = |stride: isize| stride.wrapping_mul(GROUPS.cast_signed());
        let batches = Loop {
            extent: groups.extent / GROUPS as u64,
            src: along(groups.src),
            dst: along(groups.dst),
            ..groups
        };
        let others = tile.nearest_first(row.dims + 1);
        let (mut walk, rank) = Walk::over(tile, [batches].into_iter().chain(others));
        let begin = tile.start_bytes[DST] % WORD as u32;
        let bits = 8 * row.length * tile.size();
        let mut geometry = Geometry { row: row.geometry(), ..Geometry::zeroed() };
        geometry.word_mask = (((1_u64 << bits) - 1) << (8 * begin)) as u32;
        let dim = &tile.region.dims()[outer.len()];
        if same_lane(tile.region, dim, tile.per_word()) {
            // From the start of the word on, here too.
            walk.src_start -= begin / tile.size() as u32;
        } else {
            geometry.word_shift = 8 * begin;
        }
        let aligned = (walk.src_start * tile.size() as u32).is_multiple_of(PACKET as u32)
            && same_phase(SRC, tile.per_packet(), outer);
        let group_pitch = (groups.src as u64 * tile.size()) as u8;
        let grid = walk.grid(tile);
        geometry.walk = walk;
        let entry_point = EntryPoint { rank, group_pitch, shifted: !aligned };
        Launch::single(&geometry, super::EntryPoint::Spread(entry_point), grid)
    }

    fn fragments(&self, arithmetic: Arithmetic, _: Operators) -> Vec<Fragment> {
        vec![
            fragment!("kernel/spread"),
            fragment!("kernel/walk"),
            fragment!("kernel/divide"),
            fragment!("kernel/row"),
            fragment!("kernel/funnel"),
            fragment!("kernel/across"),
            fragment!("packet/units"),
            size_fragment(arithmetic.dtype.size()),
            arithmetic.packet_fragment(),
        ]
    }

    fn entry_points(&self, arithmetic: Arithmetic) -> Vec<super::EntryPoint> {
        let mut all = Vec::new();
        for rank in Rank::ALL {
            // Whole elements.
            for group_pitch in
                (1..=4_u8).filter(|pitch| usize::from(*pitch).is_multiple_of(arithmetic.dtype.size()))
            {
                all.extend([false, true].map(|shifted| EntryPoint { rank, group_pitch, shifted }));
            }
        }
        all.into_iter().map(super::EntryPoint::Spread).collect()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        super::twin!("Geometry", Geometry: walk row word_mask word_shift)
    }
}

/// Whether each group has the same lane offset in src and dst words.
fn same_lane(region: &Region, groups: &Dim, per_word: usize) -> bool {
    let word = per_word.cast_signed();
    [groups.src, groups.dst] == [word, word]
        && region.starts[SRC] % per_word == region.starts[DST] % per_word
        && region.dims().iter().filter(|dim| dim.dst > word).all(|dim| dim.src % word == 0)
}
