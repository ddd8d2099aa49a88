//! Blocks of one run of pixels with a clamp per channel. Their packets may begin at any channel. The host's half of
//! `kernel/block_around.wgsl`.

use super::extents::{most_gathered, most_rows};
use super::{Along, Block, Numbers, Reads, Shape, Stride, launch_of};
use crate::fragment::mirrors;
use crate::kernel::region::{DST, Region, SRC};
use crate::kernel::walk::{BoundTile, Division, Loop};
use crate::kernel::{Claim, Launch, PACKET, Task};

/// The fewest packets of dst in a row. A block takes one packet per row, so neighbouring invocations fill cache lines
/// only if rows are this long.
const LEAST_APART: usize = 8;

mirrors! {
    /// Mirrors `Geometry` in `kernel/block_around.wgsl`.
    struct Geometry {
        src_start: u32,
        dst_start: u32,
        length: u32,
        ahead: u32,
        behind: u32,
        channels: u32,
        channels_multiplier: u32,
        channels_shift: u32,
        pitch: u32,
        step: u32,
        columns: u32,
        columns_multiplier: u32,
        columns_shift: u32,
        rows: u32,
        last: u32,
        last_column: u32,
        grid_width: u32,
    }
}

impl Block {
    /// Claims a region that is one run of pixels with a clamp per channel; `None` for any other region.
    pub(super) fn claim_around(task: &Task, region: &Region) -> Option<(Self, Claim)> {
        let [outer, inner] = region.dims() else { return None };
        let pitch = inner.extent.cast_signed();
        let is_run = (inner.src, inner.dst) == (1, 1) && (outer.src, outer.dst) == (pitch, pitch);
        if !(is_run && inner.channels && inner.extent == task.channels) {
            return None;
        }
        let per_packet = task.per_packet();
        let sizes = task.arithmetic.sizes();
        let rows = region.len().div_ceil(pitch_of(inner.extent, per_packet));
        let at_once = Self::at_once(sizes[DST]);
        let most = most_gathered(task.arithmetic);
        let mut extent = most_rows(per_packet);
        while extent > at_once && (extent * per_packet > most || extent / 2 >= rows) {
            extent /= 2;
        }
        let dims = [
            Along { extent: extent as u8, strides: [Stride::Far; 2], place: 1, channels: false },
            Along { extent: per_packet as u8, strides: [Stride::Near(1); 2], place: 0, channels: true },
        ];
        // A short run may end before its first whole packet, and this address may then overflow. Wrapping keeps the
        // address modulo 16.
        let first = region.starts[SRC].wrapping_add(ahead(region.starts[DST], per_packet));
        let first = first.wrapping_mul(sizes[SRC]);
        let reads = if first.is_multiple_of(PACKET) && (per_packet * sizes[SRC]).is_multiple_of(PACKET) {
            Reads::Packets
        } else {
            Reads::by_words(sizes[SRC])
        };
        Some((Self::new(sizes, &dims, reads, Numbers::Each, Shape::Around), Claim::all()))
    }

    /// The loops over blocks: along adjacent packets of a row, then to the next block's rows, of which there are at most as many
    /// as elements.
    pub(super) fn loops_around(&self, task: &Task, region: &Region) -> [Loop; 2] {
        let packet = self.per_store();
        let pitch = pitch_of(task.channels, packet);
        let next = pitch.saturating_mul(self.dims[0].extent.into());
        [(pitch / packet, packet), (region.len(), next)].map(|(extent, by)| {
            let by = by.cast_signed();
            Loop { extent: extent as u64, src: by, dst: by, channels: false }
        })
    }

    /// Launches the blocks of a run, and the elements before and behind them.
    pub(super) fn launch_around(&self, tile: &BoundTile<'_>) -> Launch {
        let per_packet = self.per_store();
        let channels = tile.task.channels;
        let [src_start, dst_start] = tile.starts();
        let length = tile.len() as usize;
        let ahead = ahead(dst_start as usize, per_packet).min(length);
        let packets = (length - ahead) / per_packet;
        let pitch = pitch_of(channels, per_packet);
        let columns = (pitch / per_packet).min(packets).max(1);
        let rows = usize::from(self.dims[0].extent);
        let last = packets.saturating_sub(1);
        // Else the shader's row of the last packet would fall below 0.
        debug_assert!(last >= columns || last % columns + 1 == columns, "a run's first row is full");
        let blocks = (packets.div_ceil(columns)).div_ceil(rows) * columns;
        let behind = ahead + packets * per_packet;
        let of_channels = Division::by(channels as u32);
        let of_columns = Division::by(columns as u32);
        let grid = tile.grid_of(blocks as u64);
        let geometry = Geometry {
            src_start,
            dst_start,
            length: length as u32,
            ahead: ahead as u32,
            behind: behind as u32,
            channels: channels as u32,
            channels_multiplier: of_channels.multiplier,
            channels_shift: of_channels.shift,
            pitch: pitch as u32,
            step: per_packet as u32,
            columns: columns as u32,
            columns_multiplier: of_columns.multiplier,
            columns_shift: of_columns.shift,
            rows: rows as u32,
            last: (last / columns) as u32,
            last_column: (last % columns) as u32,
            grid_width: grid[0],
        };
        let edges = (ahead + length > behind).then_some([1, 1]);
        launch_of(&geometry, None, (packets > 0).then_some(grid), edges)
    }
}

/// Elements before the first whole packet of a run that begins at element `start`.
fn ahead(start: usize, per_packet: usize) -> usize {
    (per_packet - start % per_packet) % per_packet
}

/// Elements from a row to the next: whole packets and whole pixels, so that all rows begin at the same channel.
fn pitch_of(channels: usize, per_packet: usize) -> usize {
    let packets = channels / (1 << channels.trailing_zeros().min(per_packet.trailing_zeros()));
    // If this saturates, the pitch exceeds every tensor.
    packets.saturating_mul(LEAST_APART.div_ceil(packets)).saturating_mul(per_packet)
}
