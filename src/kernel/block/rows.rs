//! Contiguous rows of dst that begin anywhere in a packet. The source of a row is a contiguous row, or one element.

use super::{Along, Block, Geometry, Numbers, Reads, Shape, Stride, launch_of, repeated};
use crate::arithmetic::AffineStep;
use crate::kernel::region::{DST, Dim, Region, SRC, same_phase};
use crate::kernel::walk::{BoundTile, Loop, Walk};
use crate::kernel::{Claim, Cut, Lanes, Launch, PACKET, Task};

/// Packets of a row that an invocation takes, so that finding the row costs little in comparison. In step, it takes one
/// packet of a single row.
const PACKETS: usize = 4;
/// Packets that an invocation takes of a row of at least [`MANY`] packets, in sequence.
const MANY_PACKETS: usize = 8;

/// The fewest packets of a long row.
const MANY: usize = 16;

/// The most rows of dst that an invocation fills from one row of src.
const REPEATS: usize = 8;

/// The fewest packets of a row that blocks of rows take.
const LEAST_PACKETS: usize = 4;
/// The same for rows that are not whole packets: their two ends cost as much as a few packets.
const LEAST_BETWEEN_ENDS: usize = 8;

/// Invocations of `block_edges` for a row.
pub(crate) const EDGE_INVOCATIONS: u64 = 8;

/// Whether the rows of a region, its innermost dimension, are whole packets of dst.
pub(super) fn are_whole(region: &Region, per_packet: usize) -> bool {
    region.dims().split_last().is_some_and(|(row, outer)| {
        region.aligned(DST, per_packet, outer) && row.extent.is_multiple_of(per_packet)
    })
}

impl Block {
    /// Claims a region for blocks of rows. If `repeated`, claims only regions where one row of src goes to several rows
    /// of dst.
    pub(super) fn claim_rows(task: &Task, region: &Region, repeated: bool) -> Option<(Self, Claim)> {
        let (row, outer) = region.dims().split_last()?;
        let from_row = row.src == 1 && task.arithmetic.one_size().is_some();
        if row.dst != 1 || row.channels || !(from_row || row.src == 0) {
            return None;
        }
        let per_packet = task.per_packet();
        let whole = are_whole(region, per_packet);
        let packets = row.extent / per_packet;
        if packets < if whole { LEAST_PACKETS } else { LEAST_BETWEEN_ENDS } {
            return None;
        }
        let sizes = task.arithmetic.sizes();
        // Whether an offset in src and one in dst are equal modulo a packet.
        let alike = |src: usize, dst: usize| src.wrapping_sub(dst).is_multiple_of(per_packet);
        let in_phase = alike(region.starts[SRC], region.starts[DST])
            && outer.iter().all(|dim| alike(dim.src.cast_unsigned(), dim.dst.cast_unsigned()));
        let reads = match row.src {
            1 if in_phase => Reads::Packets,
            1 => Reads::Across,
            _ => Reads::by_words(sizes[SRC]),
        };
        let repeated = if repeated {
            let repeats = |dim: &Dim| dim.src == 0 && !dim.channels && whole && reads == Reads::Packets;
            Some((0..outer.len()).filter(|&d| repeats(&outer[d])).max_by_key(|&d| outer[d].extent)?)
        } else {
            None
        };

        // For 4 packets of words or larger elements, the text calls an exact step without a loop (`MOST_CALLS`).
        let few = packets < MANY || repeated.is_some() || task.arithmetic.step == AffineStep::Exact;
        let packets = match (task.limits.lanes, few) {
            (Lanes::InStep, _) if outer.is_empty() => 1,
            (Lanes::InSequence, false) => MANY_PACKETS,
            _ => PACKETS,
        };
        let stride = i8::from(row.src != 0);
        let along = |extent: usize, strides, d: usize| Along {
            extent: extent as u8,
            strides,
            place: (outer.len() - d) as u8,
            channels: false,
        };
        let mut claim = Claim::all();
        let of_row = along(packets * per_packet, [Stride::Near(stride), Stride::Near(1)], outer.len());
        let mut dims = [Along::ONCE, of_row];
        if let Some(d) = repeated {
            let extent = outer[d].extent;
            let rows = REPEATS.min(extent);
            let whole = extent / rows * rows;
            if whole < extent {
                claim.cuts[0] = Some(Cut { dim: d, first: 0, extent: whole });
            }
            dims[0] = along(rows, [Stride::Near(0), Stride::Far], d);
        }
        let dims = &dims[usize::from(repeated.is_none())..];
        let numbers = if task.channels == 1 { Numbers::One } else { Numbers::Block };
        Some((Self::new(sizes, dims, reads, numbers, Shape::Rows), claim))
    }

    /// The element of src's binding at which a tile's last row begins.
    fn last_row(tile: &BoundTile<'_>) -> u64 {
        let outer = tile.region.dims().iter().zip(tile.tile.extents).rev().skip(1);
        let forward = outer.filter(|(dim, _)| dim.src > 0);
        let distance = forward.map(|(dim, extent)| (extent - 1) * dim.src.cast_unsigned()).sum::<usize>();
        u64::from(tile.starts()[SRC]) + distance as u64
    }

    /// Launches the whole packets of rows, some per invocation, and the elements beside them.
    pub(super) fn launch_rows(
        &self,
        tile: &BoundTile<'_>,
        mut geometry: Geometry,
        loops: &mut [Loop],
    ) -> Launch {
        // Only a region with a row is claimed.
        let row = loops.len() - 1;
        let length = tile.tile.extents[row] as u64;
        let [packet, size] = [PACKET as u64, self.size(DST) as u64];
        // Bytes from the preceding packet boundary to the start.
        let begin = u64::from(tile.start_bytes[DST]) % packet;
        let same = same_phase(DST, self.per_store(), &tile.region.dims()[..row]);
        let bytes = length * size;
        let most = if same {
            ((begin + bytes) / packet).saturating_sub(begin.div_ceil(packet))
        } else {
            bytes / packet
        };
        let last = usize::from(self.rank) - 1;
        let per_invocation = u64::from(self.dims[last].extent) / self.per_store() as u64;
        let segments = Loop { extent: most.div_ceil(per_invocation).max(1), ..Loop::ONCE };
        loops[row] = Loop::ONCE;
        tile.sort(&mut loops[..row]);
        let (mut walk, rank) = Walk::over(tile, [segments].into_iter().chain(repeated(&loops[..row])));
        let rows = walk.count / segments.extent as u32;
        let grid = walk.grid(tile);
        let edge_grid = tile.grid_of(u64::from(rows) * EDGE_INVOCATIONS);
        let whole = same && begin == 0 && bytes.is_multiple_of(packet);
        let in_reach = self.reads != Reads::Across || tile.src_size.is_multiple_of(packet);
        let reach = if self.reads == Reads::Across {
            tile.src_size / packet * packet / size
        } else {
            u32::MAX.into()
        };
        debug_assert!(
            bytes < packet || Self::last_row(tile) <= reach,
            "{reach} elements of src are in reach"
        );
        geometry.walk = walk;
        geometry.blocks = [length as u32, geometry.src_pitch[last], reach as u32, rows];
        geometry.steps[0] = edge_grid[0];
        let edges = (!(whole && in_reach)).then_some(edge_grid);
        launch_of(&geometry, Some(rank), (most > 0).then_some(grid), edges)
    }
}
