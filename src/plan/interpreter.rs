//! The kernels of `shaders/kernel/`, interpreted: which memory each invocation loads and stores, and which element of
//! src each element of dst is made of, by the clamp of which channel. The functions have the names of those in WGSL,
//! and say the same.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{Plan, Window};
use crate::kernel::row::{RowGeometry, RowUnit};
use crate::kernel::row_edges::{EdgesGeometry, RowEdges};
use crate::kernel::run_edges::Run;
use crate::kernel::walk::{First, Rank, Walk};
use crate::kernel::{
    Dispatch, EntryPoint, PACKET, Placement, WORD, WORKGROUP_SIZE, contiguous, fill, interleaved, pixels,
    rows, spread, strided, transposed, words,
};

const PACKET_BYTES: u32 = PACKET as u32;
const WORD_BYTES: u32 = WORD as u32;

/// How memory is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Plain,
    Atomic,
    /// `atomicXor` of the bits that change.
    Flip,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Side {
    Src,
    Dst,
}

/// What one invocation does.
#[derive(Default)]
struct Invocation {
    loads: Vec<(Side, Range<u32>, How)>,
    stores: Vec<(Range<u32>, How)>,
    moves: Vec<Move>,
}

/// An element of dst that is written on purpose, and the element of src that it is made of: their first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Move<T = u32> {
    pub(super) from: T,
    pub(super) to: T,
    pub(super) channel: u32,
}

impl Invocation {
    fn load_packet(&mut self, side: Side, i: u32) {
        self.loads.push((side, i * PACKET_BYTES..(i + 1) * PACKET_BYTES, How::Plain));
    }

    fn store_dst_packet(&mut self, i: u32) {
        self.stores.push((i * PACKET_BYTES..(i + 1) * PACKET_BYTES, How::Plain));
    }

    fn load_word(&mut self, side: Side, i: u32, how: How) {
        self.loads.push((side, i * WORD_BYTES..(i + 1) * WORD_BYTES, how));
    }

    fn store_word(&mut self, i: u32, how: How) {
        self.stores.push((i * WORD_BYTES..(i + 1) * WORD_BYTES, how));
    }

    /// Elements of `size` bytes each, next to each other on both sides.
    fn moves(&mut self, (from, to, bytes): (u32, u32, u32), size: u32, channel: u32) {
        let element = |i| Move { from: from.wrapping_add(i), to: to + i, channel };
        self.moves.extend((0..bytes).step_by(size as usize).map(element));
    }

    /// `load_src` of `shaders/access/`.
    fn load_src(&mut self, i: u32, [src, dst]: [u32; 2]) {
        let how = if dst < WORD_BYTES { How::Atomic } else { How::Plain };
        for word in i * src / WORD_BYTES..((i + 1) * src).div_ceil(WORD_BYTES) {
            self.load_word(Side::Src, word, how);
        }
    }

    /// `store_dst` of `shaders/access/`.
    fn store_dst(&mut self, i: u32, size: u32) {
        if size < WORD_BYTES {
            let word = i / (WORD_BYTES / size);
            self.load_word(Side::Dst, word, How::Atomic);
            self.store_word(word, How::Flip);
        } else {
            let words = size / WORD_BYTES;
            (i * words..(i + 1) * words).for_each(|word| self.store_word(word, How::Plain));
        }
    }
}

/// What a plan's dispatches do to the elements of the whole buffers, in no order.
///
/// # Panics
///
/// An access lies outside its binding, or two invocations of a dispatch race.
pub(super) fn run(plan: &Plan, adjacent: bool) -> Vec<Move<u64>> {
    plan.windows().flat_map(|window| run_window(plan, &window, adjacent)).collect()
}

/// What one window does.
///
/// # Panics
///
/// As [`run`].
pub(super) fn run_window(plan: &Plan, window: &Window, adjacent: bool) -> Vec<Move<u64>> {
    let task = plan.task.expect("windows are of a task");
    let sizes = task.arithmetic.sizes().map(|size| size as u32);
    let most = window.kernel.definition().tiling(&task).dispatches;
    assert!(window.dispatches().count() <= most, "{} takes more dispatches than it says", window.kernel);
    let [src, dst] = [window.bindings.src.offset, window.bindings.dst.offset];
    let mut moves = Vec::new();
    for dispatch in window.dispatches() {
        let invocations = invocations(plan, window, &dispatch, adjacent);
        check_bindings(window, &invocations, sizes);
        check_races(window, &invocations, sizes);
        moves.extend(invocations.iter().flat_map(|invocation| &invocation.moves).map(
            |&Move { from, to, channel }| Move {
                from: src + u64::from(from),
                to: dst + u64::from(to),
                channel,
            },
        ));
    }
    moves
}

/// Bindings of packets end at the last whole one.
fn check_bindings(window: &Window, invocations: &[Invocation], [src_size, dst_size]: [u32; 2]) {
    let size = |side| match side {
        Side::Src => window.bindings.src.size,
        Side::Dst => window.bindings.dst.size,
    };
    for Invocation { loads, stores, moves } in invocations {
        for (side, bytes, _) in loads {
            assert!(u64::from(bytes.end) <= size(*side), "{side:?} {bytes:?} of {}", size(*side));
        }
        for (bytes, _) in stores {
            assert!(u64::from(bytes.end) <= size(Side::Dst), "dst {bytes:?} of {}", size(Side::Dst));
        }
        let within =
            |side, byte: u32| loads.iter().any(|(loaded, bytes, _)| *loaded == side && bytes.contains(&byte));
        for &Move { from, to, .. } in moves {
            for from in from..from + src_size {
                assert!(within(Side::Src, from), "byte {from} of src is not loaded");
            }
            for to in to..to + dst_size {
                assert!(
                    stores.iter().any(|(bytes, _)| bytes.contains(&to)),
                    "byte {to} of dst is not stored"
                );
            }
        }
    }
}

/// What is stored to a word.
struct Stored {
    invocation: usize,
    how: How,
    /// By one invocation alone.
    alone: bool,
}

/// No invocation loads what another one stores, and no two store to one word, but for atomics on words of which each
/// needs or changes other bytes.
fn check_races(window: &Window, invocations: &[Invocation], [src_size, dst_size]: [u32; 2]) {
    let one_buffer = window.bindings.placement == Placement::OneBuffer;
    let mut stored: FxHashMap<u32, Stored> = FxHashMap::default();
    let mut written = FxHashMap::default();
    for (n, Invocation { stores, moves, .. }) in invocations.iter().enumerate() {
        for (bytes, how) in stores {
            for word in bytes.start / WORD_BYTES..bytes.end / WORD_BYTES {
                let first = Stored { invocation: n, how: *how, alone: true };
                let entry = stored.entry(word).or_insert(first);
                if entry.invocation != n {
                    let both = (entry.how, *how);
                    assert!(both == (How::Flip, How::Flip), "two invocations store word {word}: {both:?}");
                    entry.alone = false;
                }
            }
        }
        written.extend(moves.iter().flat_map(|one| one.to..one.to + dst_size).map(|to| (to, n)));
    }
    for (n, Invocation { loads, moves, .. }) in invocations.iter().enumerate() {
        for (side, bytes, how) in loads {
            if *side == Side::Src && !one_buffer {
                continue;
            }
            for word in bytes.start / WORD_BYTES..bytes.end / WORD_BYTES {
                let Some(store) = stored.get(&word) else { continue };
                if store.invocation == n && store.alone {
                    continue;
                }
                let atomic = *how == How::Atomic && store.how != How::Plain;
                assert!(
                    atomic,
                    "word {word} is loaded ({how:?}) by one and stored ({:?}) by another",
                    store.how
                );
            }
        }
        if one_buffer {
            for from in moves.iter().flat_map(|one| one.from..one.from + src_size) {
                let by = written.get(&from).copied();
                assert!(by.is_none_or(|by| by == n), "byte {from} is loaded by one and written by another");
            }
        }
    }
}

fn invocations(plan: &Plan, window: &Window, dispatch: &Dispatch, adjacent: bool) -> Vec<Invocation> {
    let task = plan.task.expect("windows are of a task");
    let sizes = task.arithmetic.sizes().map(|size| size as u32);
    let size = sizes[1];
    let geometry = &window.launch.geometry;
    let workgroups = u64::from(dispatch.grid[0]) * u64::from(dispatch.grid[1]);
    let kernel = |walk, rank, first| Walked { walk, rank, first, sizes, size, adjacent };
    match dispatch.entry_point {
        EntryPoint::Contiguous(entry_point) => {
            let contiguous::Geometry { run } = geometry.get();
            let run = RunOf::alike(run, size);
            match entry_point {
                contiguous::EntryPoint::Body => run.body(dispatch, adjacent),
                contiguous::EntryPoint::Edges => [0, 1].map(|n| run.edges(n)).into(),
            }
        }
        EntryPoint::Interleaved(entry_point) => {
            let geometry = geometry.get::<interleaved::Geometry>();
            let run = RunOf::interleaved(plan, &geometry, size);
            match entry_point {
                interleaved::EntryPoint::Body => {
                    run.columns(if adjacent { &geometry.adjacent } else { &geometry.apart }, dispatch)
                }
                interleaved::EntryPoint::Edges => [0, 1].map(|n| run.edges(n)).into(),
            }
        }
        EntryPoint::Transposed(transposed::EntryPoint { rank, squares_log2 }) => {
            let geometry = geometry.get::<transposed::Geometry>();
            assert_eq!(geometry.walk.grid_width, dispatch.grid[0]);
            assert!(u64::from(geometry.walk.count) <= workgroups);
            let walked = kernel(geometry.walk, rank, First::Segments);
            (0..geometry.walk.count)
                .flat_map(|index| walked.transposed(&geometry, squares_log2, index))
                .collect()
        }
        EntryPoint::Spread(entry_point) => {
            let geometry = geometry.get::<spread::Geometry>();
            let walked = kernel(geometry.walk, entry_point.rank, First::Segments);
            walked.each(dispatch, |index| vec![walked.spread(&geometry, entry_point, index)])
        }
        EntryPoint::Pixels(entry_point) => {
            let geometry = geometry.get::<pixels::Geometry>();
            match entry_point {
                pixels::EntryPoint::Units(units) => {
                    let walked = kernel(geometry.walk, units.rank, First::Segments);
                    walked.each(dispatch, |index| vec![walked.pixels(&geometry, units, index)])
                }
                pixels::EntryPoint::Edges(edges) => {
                    let walked = kernel(geometry.walk, edges.rank, First::Segments);
                    walked.pixel_edges(&geometry, edges, dispatch)
                }
            }
        }
        EntryPoint::Rows(entry_point) => {
            let geometry = geometry.get::<rows::Geometry>();
            let rows::Geometry { walk, row, edges, .. } = geometry;
            match entry_point {
                rows::EntryPoint::Rows(body) => {
                    let walked = kernel(walk, body.rank, body.by.first());
                    walked.each(dispatch, |index| vec![walked.rows(&geometry, body, index)])
                }
                rows::EntryPoint::Edges(entry_point) => {
                    let walked = kernel(walk, entry_point.rank, entry_point.first);
                    walked.row_edges(&row, &edges, entry_point, dispatch)
                }
                rows::EntryPoint::Last(unit) => {
                    assert_eq!(dispatch.grid, [1, 1]);
                    kernel(walk, Rank::Eight, First::Segments).row_last(&geometry, unit)
                }
            }
        }
        EntryPoint::Fill(entry_point) => {
            let fill::Geometry { walk, row, edges } = geometry.get::<fill::Geometry>();
            match entry_point {
                fill::EntryPoint::Fill(body) => {
                    let walked = kernel(walk, body.rank, body.first);
                    walked.each(dispatch, |index| vec![walked.fill(&row, &edges, body, index)])
                }
                fill::EntryPoint::Edges(entry_point) => {
                    let walked = kernel(walk, entry_point.rank, entry_point.first);
                    walked.row_edges(&row, &edges, entry_point, dispatch)
                }
            }
        }
        EntryPoint::Words(entry_point) => {
            let words::Geometry { walk, row } = geometry.get::<words::Geometry>();
            let walked = kernel(walk, entry_point.rank, entry_point.by.first());
            walked.each(dispatch, |index| vec![walked.words(&row, entry_point, index)])
        }
        EntryPoint::Strided(strided::EntryPoint { rank, items }) => {
            let strided::Geometry { walk } = geometry.get::<strided::Geometry>();
            let walked = kernel(walk, rank, First::Items(items));
            walked.each(dispatch, |index| vec![walked.strided(index)])
        }
        EntryPoint::Resolve => unreachable!("no plan has it"),
    }
}

/// A run of elements, perhaps of different channels.
struct RunOf {
    run: Run,
    size: u32,
    channels: u32,
    /// Groups of four elements until the channels begin with one again.
    groups: u32,
    /// The channel of the first lane of the first whole packet.
    first_lane: u32,
}

impl RunOf {
    fn alike(run: Run, size: u32) -> Self {
        Self { run, size, channels: 1, groups: 1, first_lane: 0 }
    }

    fn interleaved(plan: &Plan, geometry: &interleaved::Geometry, size: u32) -> Self {
        let channels = plan.task.map_or(1, |task| task.channels as u32);
        let region = plan.strategy.assignments().next().expect("one is dispatched").region;
        let per_packet = PACKET_BYTES / size;
        let before = (per_packet - region.starts[1] as u32 % per_packet) % per_packet;
        let &interleaved::Geometry { run, groups, .. } = geometry;
        Self { run, size, channels, groups, first_lane: before % channels }
    }

    /// Of the element at a byte of dst, as `group_of` finds it.
    fn channel(&self, byte: u32) -> u32 {
        let groups_per_packet = PACKET_BYTES / self.size / 4;
        let packet = byte / PACKET_BYTES + self.groups - self.run.first;
        let group = packet * groups_per_packet % self.groups;
        let lane = byte % PACKET_BYTES / self.size;
        (self.first_lane + 4 * group + lane) % self.channels
    }

    fn moves(&self, invocation: &mut Invocation, from: u32, to: u32, bytes: u32) {
        for i in (0..bytes).step_by(self.size as usize) {
            invocation.moves.push(Move {
                from: from.wrapping_add(i),
                to: to + i,
                channel: if self.channels > 1 { self.channel(to + i) } else { 0 },
            });
        }
    }

    /// What takes these packets, counted from the first whole one, as far as there are any.
    fn invocation(&self, packets: impl Iterator<Item = u32>) -> Invocation {
        let mut invocation = Invocation::default();
        for packet in packets.filter(|&packet| packet < self.run.count) {
            let dst = self.run.first + packet;
            let src = dst.wrapping_add(self.run.src_shift);
            invocation.load_packet(Side::Src, src);
            invocation.store_dst_packet(dst);
            self.moves(&mut invocation, src * PACKET_BYTES, dst * PACKET_BYTES, PACKET_BYTES);
        }
        invocation
    }

    fn each(&self, dispatch: &Dispatch, invocation: impl Fn(u32, u32) -> Invocation) -> Vec<Invocation> {
        assert_eq!(self.run.grid_width, dispatch.grid[0]);
        let workgroups = dispatch.grid[0] * dispatch.grid[1];
        let all = (0..workgroups).flat_map(|index| (0..WORKGROUP_SIZE).map(move |n| (index, n)));
        all.map(|(index, n)| invocation(index, n)).filter(|invocation| !invocation.moves.is_empty()).collect()
    }

    fn body(&self, dispatch: &Dispatch, adjacent: bool) -> Vec<Invocation> {
        let count = contiguous::PACKETS_PER_INVOCATION;
        let (stride, apart) = if adjacent { (1, count) } else { (WORKGROUP_SIZE, 1) };
        self.each(dispatch, |index, n| {
            let first = index * WORKGROUP_SIZE * count + n * apart;
            self.invocation((0..count).map(|i| first + i * stride))
        })
    }

    /// An invocation has one operator for each group of a packet, so all of its packets begin with the same channel.
    fn columns(&self, order: &interleaved::Order, dispatch: &Dispatch) -> Vec<Invocation> {
        let count = interleaved::PACKETS_PER_INVOCATION;
        self.each(dispatch, |index, n| {
            let (rows, column) =
                ((index * WORKGROUP_SIZE + n) / order.stride, (index * WORKGROUP_SIZE + n) % order.stride);
            let first = rows * order.stride * count + column;
            let packets = (0..count).map(|i| first + i * order.stride);
            let channel = |packet| self.channel((self.run.first + packet) * PACKET_BYTES);
            assert!(packets.clone().all(|packet| channel(packet) == channel(first)), "{order:?}");
            self.invocation(packets)
        })
    }

    fn edges(&self, n: u32) -> Invocation {
        let g = &self.run;
        let at = if n == 1 { g.end } else { g.begin } / PACKET_BYTES;
        let mut invocation = Invocation::default();
        let origin = at * PACKET_BYTES;
        let (begin, end) = (g.begin.max(origin), g.end.min(origin + PACKET_BYTES));
        if n == 1 && at == g.begin / PACKET_BYTES || end - begin == PACKET_BYTES || end == begin {
            return invocation;
        }
        for word in (0..PACKET_BYTES / WORD_BYTES).map(|i| origin / WORD_BYTES + i) {
            let bytes = (word * WORD_BYTES).max(begin)..((word + 1) * WORD_BYTES).min(end);
            if bytes.is_empty() {
                continue;
            }
            let src_word = word.wrapping_add(g.src_shift.wrapping_mul(PACKET_BYTES / WORD_BYTES));
            invocation.load_word(Side::Src, src_word, How::Atomic);
            if bytes.len() < WORD {
                invocation.load_word(Side::Dst, word, How::Atomic);
            }
            invocation.store_word(word, How::Atomic);
        }
        let src = begin.wrapping_add(g.src_shift.wrapping_mul(PACKET_BYTES));
        self.moves(&mut invocation, src, begin, end - begin);
        invocation
    }
}

/// `Position` of `kernel/walk.wgsl`, with the index in the second dimension.
#[derive(Clone, Copy)]
struct Position {
    index: u32,
    second: u32,
    src: u32,
    dst: u32,
    channel: u32,
}

/// A kernel that begins with a walk.
struct Walked {
    walk: Walk,
    rank: Rank,
    first: First,
    /// Of an element of src and of dst, in bytes.
    sizes: [u32; 2],
    /// Of an element of dst, and of src where a kernel takes elements of one size.
    size: u32,
    adjacent: bool,
}

impl Walked {
    /// One call for each linear index.
    fn each(&self, dispatch: &Dispatch, invoke: impl Fn(u32) -> Vec<Invocation>) -> Vec<Invocation> {
        let invocations =
            u64::from(dispatch.grid[0]) * u64::from(dispatch.grid[1]) * u64::from(WORKGROUP_SIZE);
        assert_eq!(self.walk.grid_width, dispatch.grid[0]);
        assert!(u64::from(self.walk.count) <= invocations);
        (0..self.walk.count).flat_map(invoke).collect()
    }

    fn split_rows(&self) -> bool {
        self.first == First::Segments
    }

    /// From the dimension `skip` on.
    fn position(&self, skip: usize, linear_index: u32) -> Position {
        let walk = &self.walk;
        assert!(walk.dims[self.rank as usize..].iter().all(|dim| dim.extent == 1));
        let channel = walk.first_channel;
        let mut at = Position { index: 0, second: 0, src: walk.src_start, dst: walk.dst_start, channel };
        let mut remaining = linear_index;
        for d in skip..self.rank as usize {
            let dim = walk.dims[d];
            let upper = (u64::from(remaining << 1) * u64::from(dim.multiplier)) >> 32;
            let quotient = upper as u32 >> walk.shifts[d];
            assert_eq!(quotient, remaining / dim.extent);
            let i = remaining - quotient * dim.extent;
            remaining = quotient;
            at.src = at.src.wrapping_add(i.wrapping_mul(dim.src_stride));
            at.dst = at.dst.wrapping_add(i.wrapping_mul(dim.dst_stride));
            at.channel = self.channel_along(at, d as u32, i);
            match d {
                0 => at.index = i,
                1 => at.second = i,
                _ => {}
            }
        }
        assert_eq!(remaining, 0);
        at
    }

    fn channel_along(&self, at: Position, d: u32, i: u32) -> u32 {
        if self.walk.channel_dim == d { self.walk.first_channel + i } else { at.channel }
    }

    fn walk(&self, linear_index: u32) -> Position {
        self.position(0, linear_index)
    }

    /// `None` where there is no such item.
    fn item(&self, at: Position, j: u32) -> Option<Position> {
        let dim = self.walk.dims[0];
        let index = if self.adjacent { at.index * self.first.items() + j } else { at.index + j * dim.extent };
        let ahead = index - at.index;
        let src = at.src.wrapping_add(ahead.wrapping_mul(dim.src_stride));
        let dst = at.dst.wrapping_add(ahead.wrapping_mul(dim.dst_stride));
        let channel = self.channel_along(at, 0, index);
        (index < self.walk.items).then_some(Position { index: 0, second: 0, src, dst, channel })
    }

    fn items(&self, linear_index: u32) -> impl Iterator<Item = Position> {
        let at = self.walk(linear_index);
        (0..self.first.items()).filter_map(move |j| self.item(at, j))
    }

    fn row_start(&self, row: u32) -> Option<Position> {
        if self.split_rows() {
            return Some(self.position(1, row));
        }
        let items = self.first.items();
        self.item(self.walk(row / items), row % items)
    }

    fn lanes(&self) -> u32 {
        WORD_BYTES.div_ceil(self.size)
    }

    fn unit_bytes(&self) -> u32 {
        WORD_BYTES.max(self.size)
    }

    /// First, last, and whether that last one is left out.
    fn whole_packets(&self, row: &RowGeometry, edges: &EdgesGeometry, at: Position) -> (u32, u32, bool) {
        let begin = at.dst * self.size;
        let end = begin + row.length * self.size;
        let first = begin.div_ceil(PACKET_BYTES);
        let last = first.max(end / PACKET_BYTES);
        let src_end = (at.src * self.size).wrapping_add(last * PACKET_BYTES - begin);
        (first, last, last > first && src_end.div_ceil(PACKET_BYTES) > edges.src_packets)
    }

    /// The packets from `skip` on, up to `most` of them, that an invocation takes of a row.
    fn row_packets(
        &self,
        (first, end): (u32, u32),
        at: Position,
        count: u32,
        (skip, most): (u32, u32),
    ) -> Vec<u32> {
        let stride = if self.adjacent || !self.split_rows() { 1 } else { self.walk.dims[0].extent };
        let start = first + at.index * if self.adjacent { count } else { 1 };
        (skip..skip + most).map(|i| start + i * stride).filter(|&i| i < end).collect()
    }

    fn rows(&self, g: &rows::Geometry, body: rows::Body, index: u32) -> Invocation {
        let mut invocation = Invocation::default();
        let count = body.by.packets() as u32;
        if !self.split_rows() {
            for at in self.items(index) {
                self.take_packets(&mut invocation, (g, body), at, (0, count));
            }
            return invocation;
        }
        let at = self.walk(index);
        for skip in (0..count).step_by(4) {
            self.take_packets(&mut invocation, (g, body), at, (skip, count.min(4)));
        }
        invocation
    }

    fn take_packets(
        &self,
        invocation: &mut Invocation,
        (g, body): (&rows::Geometry, rows::Body),
        at: Position,
        taken: (u32, u32),
    ) {
        let (first, last, left_out) = self.whole_packets(&g.row, &g.edges, at);
        let end = last - u32::from(left_out);
        let packets = self.row_packets((first, end), at, body.by.packets() as u32, taken);
        let offset = at.src.wrapping_sub(at.dst).wrapping_mul(self.size);
        let low = |i: u32| (i * PACKET_BYTES).wrapping_add(offset) / PACKET_BYTES;
        let last_src = ((end.max(1) - 1) * PACKET_BYTES).wrapping_add(offset).div_ceil(PACKET_BYTES);
        if !body.shifted {
            assert_eq!(offset % PACKET_BYTES, 0);
        }
        let shares = body.shifted && (self.adjacent || !self.split_rows());
        for (n, &i) in packets.iter().enumerate() {
            if n == 0 || !shares {
                invocation.load_packet(Side::Src, low(i));
            }
            if body.shifted {
                invocation.load_packet(Side::Src, last_src.min(low(i) + 1));
            }
        }
        for row in Self::repeats(g, body, at) {
            for &i in &packets {
                let from = (i * PACKET_BYTES).wrapping_add(offset);
                let to = i + row * g.repeat_pitch;
                invocation.store_dst_packet(to);
                invocation.moves((from, to * PACKET_BYTES, PACKET_BYTES), self.size, at.channel);
            }
        }
    }

    fn repeats(g: &rows::Geometry, body: rows::Body, at: Position) -> Range<u32> {
        if body.by != rows::By::Repeated {
            return 0..1;
        }
        assert!((1..=8).contains(&g.repeats));
        0..g.repeats.min(g.repeated_rows - at.second * g.repeats)
    }

    fn fill(&self, row: &RowGeometry, edges: &EdgesGeometry, body: fill::Body, index: u32) -> Invocation {
        let mut invocation = Invocation::default();
        let places =
            if self.split_rows() { vec![self.walk(index)] } else { self.items(index).collect::<Vec<_>>() };
        for at in places {
            let (first, end, left_out) = self.whole_packets(row, edges, at);
            assert!(!left_out);
            let count = body.packets as u32;
            let packets = self.row_packets((first, end), at, count, (0, count));
            if !packets.is_empty() {
                invocation.load_src(at.src, self.sizes);
            }
            for i in packets {
                invocation.store_dst_packet(i);
                for element in (0..PACKET_BYTES).step_by(self.size as usize) {
                    let (from, to) = (at.src * self.sizes[0], i * PACKET_BYTES + element);
                    invocation.moves((from, to, self.size), self.size, at.channel);
                }
            }
        }
        invocation
    }

    fn row_edges(
        &self,
        row: &RowGeometry,
        edges: &EdgesGeometry,
        RowEdges { with_last, unit, .. }: RowEdges,
        dispatch: &Dispatch,
    ) -> Vec<Invocation> {
        let invocations =
            u64::from(dispatch.grid[0]) * u64::from(dispatch.grid[1]) * u64::from(WORKGROUP_SIZE);
        assert_eq!(edges.grid_width, dispatch.grid[0]);
        assert!(u64::from(edges.rows) << edges.shift <= invocations);
        let mut all = Vec::new();
        for at in (0..edges.rows).filter_map(|row| self.row_start(row)) {
            for i in 0..1_u32 << edges.shift {
                let per_packet = PACKET_BYTES / self.unit_bytes();
                let (first, last, left_out) = self.whole_packets(row, edges, at);
                let whole_begin = first * per_packet;
                let whole_end = (last - u32::from(left_out && with_last)) * per_packet;
                let end = (at.dst + row.length).div_ceil(self.lanes());
                let index = if i < 4 { at.dst / self.lanes() + i } else { whole_end + i - 4 };
                if index < if i < 4 { whole_begin.min(end) } else { end } {
                    let mut invocation = Invocation::default();
                    self.row_unit(&mut invocation, row, unit, at, index);
                    all.push(invocation);
                }
            }
        }
        all
    }

    fn row_last(&self, g: &rows::Geometry, unit: RowUnit) -> Vec<Invocation> {
        let (src, dst, channel) = (g.last_src, g.last_dst, g.last_channel);
        let at = Position { index: 0, second: 0, src, dst, channel };
        let per_packet = PACKET_BYTES / self.unit_bytes();
        let (_, last, left_out) = self.whole_packets(&g.row, &g.edges, at);
        let units = if left_out { (last - 1) * per_packet..last * per_packet } else { 0..0 };
        let invoke = |i| {
            let mut invocation = Invocation::default();
            self.row_unit(&mut invocation, &g.row, unit, at, i);
            invocation
        };
        units.map(invoke).collect()
    }

    fn row_unit(&self, invocation: &mut Invocation, row: &RowGeometry, unit: RowUnit, at: Position, i: u32) {
        let src = |dst: u32| at.src.wrapping_add((dst.wrapping_sub(at.dst)).wrapping_mul(row.src_stride));
        let RowUnit::Packed { src_in_rows, exclusive_words } = unit else {
            invocation.load_src(src(i), self.sizes);
            invocation.store_dst(i, self.size);
            invocation.moves((src(i) * self.sizes[0], i * self.size, self.size), self.size, at.channel);
            return;
        };
        let lanes = self.lanes();
        let elements = (i * lanes).max(at.dst)..((i + 1) * lanes).min(at.dst + row.length);
        if src_in_rows {
            assert_eq!((row.src_stride, self.sizes[0]), (1, self.size));
            for end in [elements.start, elements.end - 1] {
                invocation.load_word(Side::Src, src(end) / lanes, How::Atomic);
            }
        } else {
            elements.clone().for_each(|element| invocation.load_src(src(element), self.sizes));
        }
        let whole = elements.len() as u32 == lanes;
        if !whole {
            invocation.load_word(Side::Dst, i, How::Atomic);
        }
        invocation.store_word(i, if whole || exclusive_words { How::Atomic } else { How::Flip });
        for element in elements {
            let (from, to) = (src(element) * self.sizes[0], element * self.size);
            invocation.moves((from, to, self.size), self.size, at.channel);
        }
    }

    fn words(&self, row: &RowGeometry, entry_point: words::EntryPoint, index: u32) -> Invocation {
        let mut invocation = Invocation::default();
        let mut take_word = |at: Position, i: u32| {
            let unit = at.dst / self.lanes() + i;
            if unit * self.lanes() < at.dst + row.length {
                self.row_unit(&mut invocation, row, entry_point.unit, at, unit);
            }
        };
        if self.split_rows() {
            let at = self.walk(index);
            take_word(at, at.index);
        } else {
            let words = entry_point.by.words() as u32;
            self.items(index).for_each(|at| (0..words).for_each(|i| take_word(at, i)));
        }
        invocation
    }

    fn strided(&self, index: u32) -> Invocation {
        let mut invocation = Invocation::default();
        for at in self.items(index) {
            invocation.load_src(at.src, self.sizes);
            invocation.store_dst(at.dst, self.size);
            let (from, to) = (at.src * self.sizes[0], at.dst * self.size);
            invocation.moves((from, to, self.size), self.size, at.channel);
        }
        invocation
    }

    /// Four packets of dst.
    fn spread(&self, g: &spread::Geometry, entry_point: spread::EntryPoint, index: u32) -> Invocation {
        let mut invocation = Invocation::default();
        let pitch = u32::from(entry_point.group_pitch);
        let at = self.walk(index);
        let (byte, dst) = (at.src * self.size, at.dst * self.size / PACKET_BYTES);
        let last = (byte + 15 * pitch + g.row.length * self.size - 1) / PACKET_BYTES;
        let packets = pitch + u32::from(entry_point.shifted);
        (0..packets).for_each(|i| {
            invocation.load_packet(Side::Src, last.min(byte / PACKET_BYTES + i));
        });
        if !entry_point.shifted {
            assert_eq!(byte % PACKET_BYTES, 0);
        }
        for i in dst..dst + 4 {
            invocation.load_packet(Side::Dst, i);
            invocation.store_dst_packet(i);
        }
        let lanes = (0..WORD_BYTES).step_by(self.size as usize);
        for (group, lane) in (0..16).flat_map(|group| lanes.clone().map(move |lane| (group, lane))) {
            if g.word_mask >> (8 * lane) & 0xff != 0 {
                let from = byte + group * pitch + lane - g.word_shift / 8;
                let to = dst * PACKET_BYTES + group * WORD_BYTES + lane;
                invocation.moves((from, to, self.size), self.size, at.channel);
            }
        }
        invocation
    }

    /// `to_planes` and `to_pixels`: units of a row, and the one before them.
    fn pixels(&self, g: &pixels::Geometry, entry_point: pixels::Units, index: u32) -> Invocation {
        let mut invocation = Invocation::default();
        let at = self.walk(index);
        let segments = self.walk.dims[0].extent;
        let count = entry_point.units();
        let chained = entry_point.shifted[1];
        let follow = chained || entry_point.shifted[0] && self.adjacent;
        let unit = |i: u32| {
            if self.adjacent || follow { at.index * count + i } else { at.index + i * segments }
        };
        let units: Vec<u32> = (0..count).map(unit).filter(|&unit| unit < g.units).collect();
        if chained && units[0] > 0 {
            self.load_unit(&mut invocation, g, entry_point, at, units[0] - 1);
        }
        for unit in units {
            self.load_unit(&mut invocation, g, entry_point, at, unit);
            self.store_unit(&mut invocation, g, entry_point, at, unit);
        }
        invocation
    }

    fn unit_pixels(&self) -> u32 {
        PACKET_BYTES / self.sizes[0].min(self.sizes[1])
    }

    /// `gather` of all that a unit is made of.
    fn load_unit(
        &self,
        invocation: &mut Invocation,
        g: &pixels::Geometry,
        pixels::Units { shape, shifted, .. }: pixels::Units,
        at: Position,
        unit: u32,
    ) {
        let (components, taken) = (u32::from(shape.components), u32::from(shape.taken));
        let size = self.sizes[0];
        let pixels = self.unit_pixels();
        let mut gather = |byte: u32, packets: u32, end: u32| {
            let first = byte / PACKET_BYTES;
            let behind = (first + packets).min((end - 1) / PACKET_BYTES);
            if !shifted[0] {
                assert_eq!(byte % PACKET_BYTES, 0);
            }
            (first..first + packets).for_each(|i| invocation.load_packet(Side::Src, i));
            if shifted[0] {
                invocation.load_packet(Side::Src, behind);
            }
        };
        if shape.side == 0 {
            let begin = |unit: u32| (at.src + unit * pixels * components) * size;
            let (byte, end) = (begin(unit), begin(g.units) - (components - taken) * size);
            let packets = pixels * size / PACKET_BYTES;
            for i in 0..packets {
                gather(byte + i * components * PACKET_BYTES, components, end);
            }
        } else {
            for component in 0..taken {
                let plane = at.src.wrapping_add(component.wrapping_mul(g.plane_step));
                let begin = |unit: u32| (plane + unit * pixels) * size;
                gather(begin(unit), pixels * size / PACKET_BYTES, begin(g.units));
            }
        }
    }

    /// The packets that end within a unit, or begin with one; and what they are made of.
    fn store_unit(
        &self,
        invocation: &mut Invocation,
        g: &pixels::Geometry,
        pixels::Units { shape, shifted, .. }: pixels::Units,
        at: Position,
        unit: u32,
    ) {
        let (components, taken) = (u32::from(shape.components), u32::from(shape.taken));
        let pixels = self.unit_pixels();
        let in_dst = shape.side == 1;
        let (streams, per_pixel) = if in_dst { (1, components) } else { (taken, 1) };
        for stream in 0..streams {
            // Of the row.
            let begin =
                at.dst.wrapping_add(stream.wrapping_mul(g.plane_step) * u32::from(!in_dst)) * self.size;
            let phase = begin % PACKET_BYTES;
            if !shifted[1] {
                assert_eq!(phase, 0);
            }
            let packets = pixels * per_pixel * self.size / PACKET_BYTES;
            for t in (unit * packets..(unit + 1) * packets).filter(|&t| t > 0 || phase == 0) {
                let packet = begin / PACKET_BYTES + t;
                if taken < components && in_dst {
                    assert_eq!(phase, 0);
                    invocation.load_packet(Side::Dst, packet);
                }
                invocation.store_dst_packet(packet);
                for to in (packet * PACKET_BYTES..(packet + 1) * PACKET_BYTES).step_by(self.size as usize) {
                    let n = (to - begin) / self.size;
                    self.move_pixel(invocation, g, shape, at, (stream, n, to));
                }
            }
        }
    }

    /// Element `n` of a row of dst, at byte `to`.
    fn move_pixel(
        &self,
        invocation: &mut Invocation,
        g: &pixels::Geometry,
        shape: pixels::PixelShape,
        at: Position,
        (stream, n, to): (u32, u32, u32),
    ) {
        let components = u32::from(shape.components);
        let (component, src) = if shape.side == 1 {
            let component = n % components;
            (
                component,
                at.src.wrapping_add(component.wrapping_mul(g.plane_step)).wrapping_add(n / components),
            )
        } else {
            (stream, at.src + stream + n * components)
        };
        if component < u32::from(shape.taken) {
            let channel = at.channel.wrapping_add(component.wrapping_mul(g.channel_step));
            invocation.moves((src * self.sizes[0], to, self.size), self.size, channel);
        }
    }

    fn pixel_edges(
        &self,
        g: &pixels::Geometry,
        pixels::Edges { shape, .. }: pixels::Edges,
        dispatch: &Dispatch,
    ) -> Vec<Invocation> {
        let invocations =
            u64::from(dispatch.grid[0]) * u64::from(dispatch.grid[1]) * u64::from(WORKGROUP_SIZE);
        assert_eq!(g.edge_grid_width, dispatch.grid[0]);
        assert!(u64::from(g.edge_rows) * pixels::EDGES_PER_ROW <= invocations);
        let in_dst = shape.side == 1;
        let (components, taken) = (u32::from(shape.components), u32::from(shape.taken));
        assert!(!in_dst || taken == components);
        let per_packet = PACKET_BYTES / self.size;
        let length = g.units * self.unit_pixels() * if in_dst { components } else { 1 };
        let mut all = Vec::new();
        for at in (0..g.edge_rows).map(|row| self.position(1, row)) {
            for stream in 0..if in_dst { 1 } else { taken } {
                let begin = at.dst.wrapping_add(stream.wrapping_mul(g.plane_step) * u32::from(!in_dst));
                let phase = begin % per_packet;
                for i in (0..per_packet).filter(|_| phase != 0) {
                    let n = if i >= per_packet - phase { length - per_packet + i } else { i };
                    let mut invocation = Invocation::default();
                    self.move_pixel(&mut invocation, g, shape, at, (stream, n, (begin + n) * self.size));
                    let from = invocation.moves[0].from;
                    invocation.load_src(from / self.sizes[0], self.sizes);
                    invocation.store_dst(begin + n, self.size);
                    all.push(invocation);
                }
            }
        }
        all
    }

    /// A workgroup.
    fn transposed(&self, g: &transposed::Geometry, squares_log2: u8, index: u32) -> Vec<Invocation> {
        let side = PACKET_BYTES / self.size;
        let (wide, high) = (1 << squares_log2, WORKGROUP_SIZE >> squares_log2);
        let at = self.walk(index);
        let squares = (0..high).flat_map(|y| (0..wide).map(move |x| (x, y)));
        let inside = |&(x, y): &(u32, u32)| {
            at.index * wide + x < g.squares_along_src && at.second * high + y < g.squares_along_dst
        };
        let square = |(x, y): (u32, u32)| {
            let mut invocation = Invocation::default();
            let src = at.src.wrapping_add(x).wrapping_add((y * side).wrapping_mul(g.src_pitch));
            let dst = at.dst + x * side * g.dst_pitch + y;
            let row = |i: u32| src.wrapping_add(i.wrapping_mul(g.src_pitch));
            for i in 0..side {
                invocation.load_packet(Side::Src, row(i));
                invocation.store_dst_packet(dst + i * g.dst_pitch);
            }
            for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
                // Row i of the square in src is column i in dst.
                let from = (row(i) * side + j) * self.size;
                let to = ((dst + j * g.dst_pitch) * side + i) * self.size;
                invocation.moves((from, to, self.size), self.size, at.channel);
            }
            invocation
        };
        squares.filter(inside).map(square).collect()
    }
}
