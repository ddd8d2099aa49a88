//! What a window's dispatches are told: grids, and where each invocation finds its elements.

use super::PACKET;
use super::piece::{Dim, Piece};
use crate::arithmetic::{ContiguousGeometry, WalkGeometry, division};
use crate::shader::{Constants, EntryPoint, PACKETS_PER_INVOCATION, WORKGROUP_SIZE};
use crate::{Limits, MAX_RANK};

/// The most invocations per row of `row_edges`: sixteen, for up to twice as many rows as there are.
pub(super) const ROW_EDGES: u64 = 32;

/// Lines that an invocation of `kernel/spread.wgsl` takes: those of four packets.
pub(super) const SPREAD_LINES: usize = 16;

/// Rows of dst that an invocation takes where a row of src is repeated, as many as `kernel/rows.wgsl` stores to.
const REPEATS: u64 = 8;

#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "one at a time, on the stack: a plan allocates nothing")]
pub(super) enum Geometry {
    Contiguous(ContiguousGeometry),
    Walk(WalkGeometry),
}

/// One `dispatch_workgroups`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dispatch {
    pub(crate) entry_point: EntryPoint,
    pub(crate) constants: Constants,
    /// Workgroups along x and y.
    pub(crate) grid: [u32; 2],
}

/// A part of the index space: where it starts in src and dst, and its extents.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) starts: [usize; 2],
    pub(super) extents: [usize; MAX_RANK],
}

/// A part of a piece within its bindings.
pub(super) struct Cut<'a> {
    pub(super) piece: &'a Piece,
    pub(super) part: &'a Part,
    /// Of an element, in bytes.
    pub(super) size: u64,
    /// The first element of src and dst, in bytes from the start of the binding.
    pub(super) starts: [u32; 2],
    pub(super) limits: Limits,
}

pub(super) type Dispatches = [Option<Dispatch>; 3];

impl Cut<'_> {
    fn grid(&self, workgroups: u64) -> [u32; 2] {
        grid(workgroups, self.limits)
    }

    /// The grid for so many invocations.
    fn grid_of(&self, invocations: u64) -> [u32; 2] {
        self.grid(invocations.div_ceil(WORKGROUP_SIZE.into()))
    }

    pub(super) fn contiguous(&self) -> (Geometry, Dispatches) {
        let packet = PACKET as u32;
        let [src, dst] = self.starts;
        let end = dst + (self.piece.count(self.part) * self.size) as u32;
        let first = dst.div_ceil(packet);
        let whole = (end / packet).saturating_sub(first);
        let grid = self.grid_of(u64::from(whole.div_ceil(PACKETS_PER_INVOCATION)));
        let geometry = ContiguousGeometry {
            first,
            count: whole,
            src_shift: (src / packet).wrapping_sub(dst / packet),
            row: grid[0],
            begin: dst,
            end,
        };
        let dispatch = |entry_point, grid| Dispatch { entry_point, constants: Constants::default(), grid };
        let body = dispatch(EntryPoint::Body, grid);
        let edges = dispatch(EntryPoint::Edges, [1, 1]);
        let ragged = !(dst.is_multiple_of(packet) && end.is_multiple_of(packet));
        (Geometry::Contiguous(geometry), [(whole > 0).then_some(body), ragged.then_some(edges), None])
    }

    /// The dimensions with their extents in this part, the innermost first.
    fn dims(&self) -> impl Iterator<Item = (&Dim, u64)> {
        let extents = self.part.extents.map(|extent| extent as u64);
        self.piece.dims().iter().zip(extents).rev()
    }

    /// What all kernels but the contiguous one share, with `count` the product of the extents. `unit` is in bytes, what
    /// starts and strides count.
    fn walk(
        &self,
        dims: impl IntoIterator<Item = (u64, isize, isize)>,
        unit: u64,
    ) -> (WalkGeometry, Constants) {
        let mut geometry: WalkGeometry = bytemuck::Zeroable::zeroed();
        let (factor, shift) = division(1);
        geometry.dims = [[1, 0, 0, factor]; MAX_RANK];
        geometry.shifts = [shift; MAX_RANK];
        let elements = (unit / self.size).cast_signed() as isize;
        let mut rank = 0_usize;
        for (extent, src, dst) in dims {
            let (factor, shift) = division(extent as u32);
            // Modulo 2^32, as the shader adds them up; the sums lie in the binding.
            geometry.dims[rank] = [extent as u32, (src / elements) as u32, (dst / elements) as u32, factor];
            geometry.shifts[rank] = shift;
            rank += 1;
        }
        [geometry.src_start, geometry.dst_start] = self.starts.map(|start| start / unit as u32);
        geometry.count = geometry.dims.iter().map(|dim| u64::from(dim[0])).product::<u64>() as u32;
        let rank = rank.next_power_of_two() as u8;
        (geometry, Constants { rank, ..Constants::default() })
    }

    pub(super) fn strided(&self) -> (Geometry, Dispatches) {
        let (geometry, constants) = self.walk_lines(0);
        let grid = self.grid_of(geometry.count.into());
        alone(geometry, Dispatch { entry_point: EntryPoint::Strided, constants, grid })
    }

    /// The innermost dimension if its stride in dst is 1, else an element.
    fn row(&self) -> Row {
        match self.dims().next().filter(|(dim, _)| dim.dst == 1) {
            Some((dim, length)) => Row { length, src_step: dim.src, dims: 1 },
            None => Row { length: 1, src_step: 0, dims: 0 },
        }
    }

    /// The dimensions but for the row's.
    fn outer(&self, row: &Row) -> &[Dim] {
        let dims = self.piece.dims();
        &dims[..dims.len() - row.dims]
    }

    /// Extent and strides of all dimensions but the innermost `skip`, by the smaller stride: what is near on either side is
    /// taken soon, while it is in the caches.
    fn nearest_first(&self, skip: usize) -> impl Iterator<Item = (u64, isize, isize)> {
        let mut dims = [(1, 0, 0); MAX_RANK];
        let rank = self.piece.dims().len() - skip;
        for (slot, (dim, extent)) in dims.iter_mut().zip(self.dims().skip(skip)) {
            *slot = (extent, dim.src, dim.dst);
        }
        // A broadcast is near everywhere.
        let distance = |&(_, src, dst): &(u64, isize, isize)| match src {
            0 => dst.unsigned_abs(),
            _ => src.unsigned_abs().min(dst.unsigned_abs()),
        };
        dims[..rank].sort_by_key(distance);
        dims.into_iter().take(rank)
    }

    /// The geometry of lines: all dimensions but the innermost `skip`, several lines per invocation.
    fn walk_lines(&self, skip: usize) -> (WalkGeometry, Constants) {
        let mut dims = self.nearest_first(skip).peekable();
        let first = dims.next().unwrap_or((1, 0, 0));
        // Where what is near in src is not near in dst, neighbouring invocations look after the one, an invocation's
        // lines after the other. Lines of smaller elements are words, of which half as many are better.
        let disagree =
            self.size >= 4 && dims.peek().is_some_and(|next| next.1.unsigned_abs() < first.1.unsigned_abs());
        let lines = match first.0 {
            0..4 => 1,
            8.. if disagree => 8,
            _ => 4,
        };
        let blocks = (first.0.div_ceil(lines), first.1, first.2);
        let (mut geometry, constants) = self.walk([blocks].into_iter().chain(dims), self.size);
        geometry.lines = first.0 as u32;
        (geometry, Constants { lines: lines as u8, ..constants })
    }

    /// The geometry of rows in so many steps each.
    fn walk_rows(&self, row: &Row, steps: u64) -> (WalkGeometry, Constants) {
        let (mut geometry, constants) = if steps <= 1 {
            self.walk_lines(row.dims)
        } else {
            self.walk_steps(steps, self.nearest_first(row.dims))
        };
        geometry.rows = geometry.count / steps.max(1) as u32 * u32::from(constants.lines);
        row.measure(&mut geometry);
        (geometry, constants)
    }

    /// The geometry of so many steps in each of `outer`.
    fn walk_steps(
        &self,
        steps: u64,
        outer: impl Iterator<Item = (u64, isize, isize)>,
    ) -> (WalkGeometry, Constants) {
        let (geometry, constants) = self.walk([(steps, 0, 0)].into_iter().chain(outer), self.size);
        (geometry, Constants { in_steps: true, lines: 1, ..constants })
    }

    /// The dimension that repeats a row of src most often.
    fn repeated(&self, row: &Row) -> Option<(u64, isize, isize)> {
        self.nearest_first(row.dims).filter(|dim| dim.1 == 0 && dim.0 > 1).max_by_key(|dim| dim.0)
    }

    /// The geometry of rows of whole packets in so many steps each, several rows of dst per invocation.
    fn walk_repeated(
        &self,
        row: &Row,
        steps: u64,
        repeated: (u64, isize, isize),
    ) -> (WalkGeometry, Constants) {
        let (rows, _, pitch) = repeated;
        let repeats = rows.min(REPEATS);
        let blocks = (rows.div_ceil(repeats), 0, pitch.wrapping_mul(repeats.cast_signed() as isize));
        let others = self.nearest_first(row.dims).filter(|&dim| dim != repeated);
        let (mut geometry, constants) = self.walk_steps(steps, [blocks].into_iter().chain(others));
        (geometry.repeats, geometry.repeated_rows) = (repeats as u32, rows as u32);
        geometry.repeat_pitch = (pitch / (PACKET as u64 / self.size).cast_signed() as isize) as u32;
        row.measure(&mut geometry);
        (geometry, Constants { repeated: true, ..constants })
    }

    /// For `row_unit`, which 32- and 64-bit elements have no use for.
    fn for_units(&self, constants: Constants, row: &Row) -> Constants {
        let Constants { rank, in_steps, lines, .. } = constants;
        let constants = Constants { rank, in_steps, lines, ..Constants::default() };
        match self.size {
            1 | 2 => Constants { src_in_rows: row.src_step == 1, owned: self.words_apart(row), ..constants },
            _ => constants,
        }
    }

    pub(super) fn rows(&self, entry_point: EntryPoint, src_size: u64) -> (Geometry, Dispatches) {
        let row = self.row();
        let packet = PACKET as u64;
        let (elements, bytes) = (PACKET / self.size as usize, row.length * self.size);
        let same = |side| Piece::same_phase(side, elements, self.outer(&row));
        let [src, dst] = self.starts.map(|start| u64::from(start) % packet);
        let whole = if same(1) {
            ((dst + bytes) / packet).saturating_sub(dst.div_ceil(packet))
        } else {
            bytes / packet
        };
        // In place never: what is loaded is then what the invocation stores.
        let alike = |dim: &Dim| dim.src.wrapping_sub(dim.dst).unsigned_abs().is_multiple_of(elements);
        let shifted = !(src == dst && self.outer(&row).iter().all(alike));
        let in_reach = src_size == u64::MAX || !shifted || src_size.is_multiple_of(packet);
        let ragged = !(same(1) && dst == 0 && bytes.is_multiple_of(packet));
        let repeated = if entry_point == EntryPoint::Rows && in_reach && !ragged && whole >= 4 {
            self.repeated(&row)
        } else {
            None
        };
        let packets = match whole {
            0 | 1 => 1,
            2 => 2,
            _ if repeated.is_some() => 4,
            3..16 => 4,
            _ if entry_point == EntryPoint::Fill => 16,
            _ => 8,
        };
        let steps = whole.div_ceil(packets);
        let (mut geometry, constants) = match repeated {
            Some(repeated) => self.walk_repeated(&row, steps, repeated),
            None => self.walk_rows(&row, steps),
        };
        geometry.src_packets = (src_size / packet).min(u32::MAX.into()) as u32;

        let grid = self.grid_of(geometry.count.into());
        geometry.row = grid[0];
        let body = Constants { packets: packets as u8, ..constants };
        // A row of one element has no shift.
        let constants = if entry_point == EntryPoint::Rows { Constants { shifted, ..body } } else { body };
        let body = Dispatch { entry_point, constants, grid };

        // Where no two rows reach equally far in src, give or take a packet, one alone may be out of reach.
        let one = self.outer(&row).iter().all(|dim| dim.src.unsigned_abs() as u64 * self.size >= packet);
        let with_last = !in_reach && !one;
        geometry.edge_shift = if with_last { 4 } else { 3 };
        let grid = self.grid_of(u64::from(geometry.rows) << geometry.edge_shift);
        geometry.edge_row = grid[0];
        let units = self.for_units(constants, &row);
        let constants = Constants { with_last, ..units };
        let edges = Dispatch { entry_point: EntryPoint::RowEdges, constants, grid };

        [geometry.last_src, geometry.last_dst] = self.furthest(&row);
        let Constants { src_in_rows, owned, .. } = units;
        let constants = Constants { src_in_rows, owned, ..Constants::default() };
        let last = Dispatch { entry_point: EntryPoint::RowLast, constants, grid: [1, 1] };
        let dispatches = [
            (steps > 0).then_some(body),
            (ragged || with_last).then_some(edges),
            (steps > 0 && !in_reach && one).then_some(last),
        ];
        (Geometry::Walk(geometry), dispatches)
    }

    /// Where the row that reaches furthest in src starts in src and dst, in elements.
    fn furthest(&self, row: &Row) -> [u32; 2] {
        let mut starts = self.starts.map(|start| start / self.size as u32);
        for (dim, extent) in self.dims().skip(row.dims).filter(|(dim, _)| dim.src > 0) {
            let last = (extent - 1) as u32;
            for (start, stride) in starts.iter_mut().zip([dim.src, dim.dst]) {
                *start = start.wrapping_add(last.wrapping_mul(stride as u32));
            }
        }
        starts
    }

    pub(super) fn words(&self) -> (Geometry, Dispatches) {
        let row = self.row();
        let lanes = 4 / self.size;
        // In elements: how far behind a word's start a row may begin.
        let begin = if Piece::same_phase(1, lanes as usize, self.outer(&row)) {
            u64::from(self.starts[1]) / self.size % lanes
        } else {
            lanes - 1
        };
        let words = (begin + row.length).div_ceil(lanes);
        // Short rows are taken whole.
        let (units, steps) = match words {
            1 | 2 => (words as u8, 1),
            3 | 4 => (4, 1),
            _ => (1, words),
        };
        let (geometry, constants) = self.walk_rows(&row, steps);
        let grid = self.grid_of(geometry.count.into());
        let constants = Constants { packets: units, ..self.for_units(constants, &row) };
        alone(geometry, Dispatch { entry_point: EntryPoint::Words, constants, grid })
    }

    /// Whether no word of dst holds elements of two rows: all begin at one place in their words, and each stride, from
    /// the smallest on, is beyond the words that the smaller ones reach.
    fn words_apart(&self, row: &Row) -> bool {
        let lanes = 4 / self.size;
        let outer = self.outer(row);
        let begin = u64::from(self.starts[1]) / self.size % lanes;
        let mut reach = (begin + row.length).div_ceil(lanes) - 1;
        Piece::same_phase(1, lanes as usize, outer)
            && outer.iter().zip(self.part.extents).rev().all(|(dim, extent)| {
                let stride = dim.dst.unsigned_abs() as u64 / lanes;
                let apart = stride > reach;
                reach += stride * (extent as u64 - 1);
                apart
            })
    }

    pub(super) fn spread(&self) -> (Geometry, Dispatches) {
        let row = self.row();
        let (line, lines) = self.dims().nth(row.dims).expect("`Plan::spread` has found lines");
        let along = |stride: isize| stride.wrapping_mul(SPREAD_LINES.cast_signed());
        let blocks = (lines / SPREAD_LINES as u64, along(line.src), along(line.dst));
        let outer = self.nearest_first(row.dims + 1);
        let (mut geometry, constants) = self.walk([blocks].into_iter().chain(outer), self.size);
        row.measure(&mut geometry);
        let begin = self.starts[1] % 4;
        let bits = 8 * row.length * self.size;
        geometry.word_mask = (((1_u64 << bits) - 1) << (8 * begin)) as u32;
        if self.piece.same_place_in_words(line, 4 / self.size as usize) {
            // From the start of the word on, here too.
            geometry.src_start -= begin / self.size as u32;
        } else {
            geometry.word_shift = 8 * begin;
        }
        let (_, outer) = self.outer(&row).split_last().expect("`Plan::spread` has found lines");
        let aligned = (geometry.src_start * self.size as u32).is_multiple_of(PACKET as u32)
            && Piece::same_phase(0, PACKET / self.size as usize, outer);
        let line_bytes = (line.src as u64 * self.size) as u8;
        let constants = Constants { line_bytes, shifted: !aligned, ..constants };
        let grid = self.grid_of(geometry.count.into());
        alone(geometry, Dispatch { entry_point: EntryPoint::Spread, constants, grid })
    }

    pub(super) fn transposed(&self) -> (Geometry, Dispatches) {
        let side = PACKET as u64 / self.size;
        let is_fast = |dim: &Dim| [dim.src, dim.dst].map(|stride| stride == 1);
        let [mut along_src, mut along_dst] = [(Dim::UNIT, 0); 2];
        for (dim, extent) in self.dims() {
            match is_fast(dim) {
                [true, _] => along_src = (*dim, extent / side),
                [_, true] => along_dst = (*dim, extent / side),
                _ => {}
            }
        }
        // Nearly as wide as high, unless one side is short: what is outside is wasted.
        let workgroup = u64::from(WORKGROUP_SIZE);
        let wide = match (along_src.1, along_dst.1) {
            (short, _) if short < 16 => short.next_power_of_two(),
            (_, short) if short < 16 => workgroup / short.next_power_of_two(),
            _ => 16,
        };
        let tiles = [(along_src, wide), (along_dst, workgroup / wide)].map(|((dim, squares), across)| {
            let tile = (across * side).cast_signed() as isize;
            (squares.div_ceil(across), dim.src.wrapping_mul(tile), dim.dst.wrapping_mul(tile))
        });
        let others = self.dims().filter(|(dim, _)| is_fast(dim) == [false; 2]);
        let others = others.map(|(dim, extent)| (extent, dim.src, dim.dst));
        let (mut geometry, constants) = self.walk(tiles.into_iter().chain(others), PACKET as u64);
        let constants = Constants { squares: wide as u16, ..constants };
        let grid = self.grid(geometry.count.into());
        (geometry.squares_along_src, geometry.squares_along_dst) = (along_src.1 as u32, along_dst.1 as u32);
        geometry.src_pitch = (along_dst.0.src / side.cast_signed() as isize) as u32;
        geometry.dst_pitch = (along_src.0.dst / side.cast_signed() as isize) as u32;
        alone(geometry, Dispatch { entry_point: EntryPoint::Transposed, constants, grid })
    }
}

/// A geometry with the one dispatch that goes by it.
fn alone(mut geometry: WalkGeometry, dispatch: Dispatch) -> (Geometry, Dispatches) {
    geometry.row = dispatch.grid[0];
    (Geometry::Walk(geometry), [Some(dispatch), None, None])
}

/// What lies next to each other in dst.
struct Row {
    /// In elements.
    length: u64,
    src_step: isize,
    /// 1 if it is a dimension of the piece, 0 if it is one element.
    dims: usize,
}

impl Row {
    fn measure(&self, geometry: &mut WalkGeometry) {
        (geometry.length, geometry.src_step) = (self.length as u32, self.src_step as u32);
    }
}

/// A near-square grid of at least `workgroups`, or one row of them while they fit.
pub(super) fn grid(workgroups: u64, limits: Limits) -> [u32; 2] {
    let most = u64::from(limits.max_workgroups_per_dimension.max(1));
    let rows = if workgroups <= most { 1 } else { workgroups.isqrt().max(workgroups.div_ceil(most)) };
    let columns = workgroups.div_ceil(rows);
    [columns as u32, workgroups.div_ceil(columns.max(1)) as u32]
}
