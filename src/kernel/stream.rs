//! Streams: an invocation fills a unit of a run of dst, a packet or a word, and its neighbour the next one. The elements of a
//! unit come together, as one (a broadcast), or one by one from anywhere. The host's half of
//! `kernel/stream.wgsl`.

use super::piece::{Along, Channels, Order, Piece, Reads, Stores, Stride};
use super::region::{DST, Region, SRC};
use super::run::Runs;
use super::walk::BoundTile;
use super::{Dispatch, EntryPoint, Kernel, Launch, PACKET, Placement, Task, Tiling, WORD, words};

impl Piece {
    /// The stream whose elements come together, or as one, for rows that are adjacent in dst. `is_large`: whether a second
    /// dispatch pays.
    pub(super) fn stream(task: &Task, region: &Region, is_large: bool) -> Option<Self> {
        let (row, outer) = region.dims().split_last()?;
        if row.channels || !matches!(row.src, 0 | 1) {
            return None;
        }
        let (sizes, channels) = (task.arithmetic.sizes(), task.channels > 1);
        // A look-up of the channel serves a packet.
        let stores = if channels { Stores::Packets } else { Self::stores_of(task, true) };
        let unit = stores.bytes() / sizes[DST];
        // Whether units of all rows begin at packets of src, or at words.
        let bytes = unit * sizes[SRC];
        let alike = |src: usize, dst: usize| {
            src.wrapping_sub(dst).wrapping_mul(sizes[SRC]).is_multiple_of(bytes.min(PACKET))
        };
        let in_phase = alike(region.starts[SRC], region.starts[DST])
            && outer.iter().all(|dim| alike(dim.src.cast_unsigned(), dim.dst.cast_unsigned()));
        // `AcrossPackets` may leave the last packet of dst to words, in a dispatch of their own. Where runs begin or end within
        // units, words have one anyway; where they do not, it pays for large tensors.
        let whole = region.starts[DST].is_multiple_of(unit)
            && row.extent.is_multiple_of(unit)
            && outer.iter().all(|dim| dim.dst.unsigned_abs().is_multiple_of(unit));
        let joins = !whole || is_large;
        let reads = match row.src {
            1 if in_phase && bytes.is_multiple_of(PACKET) => Reads::Packets,
            1 if in_phase => Reads::Words,
            1 if sizes[SRC] == sizes[DST] && joins => Reads::AcrossPackets,
            _ => Reads::by_words(sizes[SRC]),
        };
        let channels = if channels { Channels::One } else { Channels::None };
        Some(Self::of_units(task, unit, Stride::of(row.src), (reads, stores), channels))
    }

    /// The stream that finds each element by itself, for runs that are adjacent in dst.
    pub(super) fn stepping_stream(task: &Task, region: &Region) -> Self {
        let (sizes, stores) = (task.arithmetic.sizes(), Self::stores_of(task, false));
        let stepped = region.run().iter().any(|dim| dim.channels);
        let channels = match task.channels {
            1 => Channels::None,
            _ if stepped => Channels::Stepped,
            _ => Channels::One,
        };
        let unit = stores.bytes() / sizes[DST];
        Self::of_units(task, unit, Stride::Far, (Reads::by_words(sizes[SRC]), stores), channels)
    }

    /// Packets; words where a packet of src fills one, and where elements lie apart. In one buffer, words of dst could share
    /// packets with src.
    fn stores_of(task: &Task, together: bool) -> Stores {
        let [src, dst] = task.arithmetic.sizes();
        let fills = src == WORD && dst == 1 || dst < WORD && !together;
        if fills && task.placement == Placement::TwoBuffers { Stores::Words } else { Stores::Packets }
    }

    fn of_units(
        task: &Task,
        unit: usize,
        src: Stride,
        (reads, stores): (Reads, Stores),
        channels: Channels,
    ) -> Self {
        let strides = [src, Stride::Near(1)];
        let dim = Along { extent: unit as u8, strides, place: 0, channels: false };
        Self::new(task.arithmetic.sizes(), &[dim], (reads, stores), channels, Order::Stream)
    }

    pub(super) fn stream_tiling(&self, task: &Task, region: &Region) -> Tiling {
        let (unit, invocations) = (self.per_store(), task.limits.invocations());
        let last = region.dims().len() - 1;
        // One run has its ends besides. Several may be as short as an element, which makes one word at most.
        let most = if last == 0 { invocations.saturating_mul(unit as u64) } else { invocations };
        let mut tiling = Tiling::of_elements(most);
        tiling.multiples[last] = unit;
        if last == 0 {
            tiling.lead = region.starts[DST] % unit;
        }
        tiling
    }

    /// Launches the whole units of runs, and the words beside them.
    pub(super) fn launch_stream(&self, tile: &BoundTile<'_>) -> Launch {
        let runs = Runs::of(tile, self.steps());
        let unit = self.per_store();
        let across = self.reads == Reads::AcrossPackets;
        // Src ends within a packet: units that need its last part are left to words.
        let packet = PACKET as u64;
        let whole_src = (across && !tile.src_size.is_multiple_of(packet))
            .then(|| (tile.src_size / packet * packet / self.size(SRC) as u64) as u32);
        let mut geometry = runs.geometry(tile, whole_src);
        let mut dispatches = Vec::with_capacity(2);
        let units = runs.units(unit as u64);
        if units > 0 {
            let turns = self.turns(tile.task.arithmetic, tile.task.limits.cpu);
            let (share, grid) = runs.share(tile, units, turns);
            geometry.units = share;
            let [rank, depth] = runs.ranks();
            let entry_point = EntryPoint::new("stream", &[rank, depth, ("UNIT", unit as u32)]);
            dispatches.push(Dispatch { kernel: Kernel::Piece(*self), entry_point, grid });
        }
        dispatches.extend(words::beside(tile, &runs, &mut geometry, unit, whole_src.is_some()));
        Launch::new(&geometry, dispatches)
    }
}
