//! The kernel `gather`, for any layouts. Invocations fill words of dst, or larger elements, element by element.

use super::cost::{Weights, Work, of_element};
use super::region::{DST, Region, SRC, same_phase};
use super::walk::{BoundTile, Loop, Rank, Walk};
use super::{
    Definition, Dispatch, Launch, Task, Tiling, WORD, flag, load_fragments, size_fragment, store_fragments,
};
use crate::MAX_RANK;
use crate::arithmetic::Arithmetic;
use crate::fragment::{Fragment, fragment, mirrors};

/// The most rows that an invocation takes.
const ROWS: u64 = 4;

/// Operations that find the place of an invocation, those of a unit and those of an element.
const PLACE: f32 = 60.0;
const PER_UNIT: f32 = 15.0;
const PER_ELEMENT: f32 = 30.0;
/// Operations that look up an element's channel.
const PER_LOOK_UP: f32 = 20.0;

/// The most units (words or larger elements) of a row that an invocation takes; `UNITS` of `kernel/gather.wgsl`.
pub(crate) const UNITS: u64 = 4;

mirrors! {
    /// Mirrors `Geometry` in `kernel/gather.wgsl`.
    struct Geometry {
        walk: Walk,
        row: Row,
        rows: u32,
        /// Pads to the size of the WGSL struct.
        padding: [u32; 3],
    }

    /// Mirrors `Row` in `kernel/row.wgsl`: adjacent elements of dst.
    struct Row {
        length: u32,
        src_stride: u32,
        /// Pads to the size of the WGSL struct.
        padding: [u32; 2],
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EntryPoint {
    pub(crate) rank: Rank,
    /// `LONG_ROWS`: whether an invocation takes a part of one row instead of whole rows.
    pub(crate) long_rows: bool,
    /// `SRC_IN_ROWS`: whether rows are contiguous in src too, with elements of the same size.
    pub(crate) src_in_rows: bool,
}

impl EntryPoint {
    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        let Self { rank, long_rows, src_in_rows } = self;
        vec![rank.constant(), flag("LONG_ROWS", long_rows), flag("SRC_IN_ROWS", src_in_rows)]
    }
}

pub(super) struct Gather;

/// What `gather` costs per element of a region.
#[expect(clippy::cast_precision_loss, reason = "an invocation takes a few elements")]
pub(super) fn cost(task: &Task, region: &Region) -> f32 {
    let weights = Weights::of(task.limits.lanes);
    let sizes = task.arithmetic.sizes();
    // An invocation takes some units, and loads and clamps each element by itself. The units of a row that begins anywhere
    // have one more.
    let per_word = WORD.div_ceil(sizes[DST]);
    let dims = region.dims();
    let row =
        dims.last().filter(|dim| dim.dst == 1 && !dim.channels).map_or(1, |dim| dim.extent.min(1 << 16));
    let same = region.aligned(DST, per_word, &dims[..dims.len().saturating_sub(1)]);
    let units = if same { row.div_ceil(per_word) } else { (row + 2 * (per_word - 1)).div_ceil(per_word) };
    let elements = (UNITS as usize * row / units).max(1);
    let mut all = [Loop::ONCE; MAX_RANK];
    let loops = &mut all[..dims.len()];
    for (along, dim) in loops.iter_mut().zip(dims.iter().rev()) {
        *along = Loop::of(dim, dim.extent);
    }
    if let Some(first) = loops.first_mut() {
        *first = first.in_steps(elements as u64);
    }
    let touched = [SRC, DST].map(|side| {
        let stride = |along: &Loop| [along.src, along.dst][side].unsigned_abs().saturating_mul(sizes[side]);
        weights.touched(loops, WORD, stride)
    });
    let look_ups = if task.channels > 1 { elements } else { 0 };
    let work = Work {
        elements,
        bytes: sizes[SRC] + sizes[DST],
        traffic: weights.traffic(elements as u64, UNITS, touched),
        table_lines: 0.0,
        uniform_addresses: look_ups as f32,
        operations: PLACE
            + (PER_ELEMENT + of_element(task)) * elements as f32
            + PER_LOOK_UP * look_ups as f32
            + PER_UNIT * UNITS as f32,
        passed: 0.0,
    };
    work.cost(weights, 0, region.len(), 1.0)
}

impl Definition for Gather {
    fn tiling(&self, task: &Task, _: &Region) -> Tiling {
        Tiling::of_elements(task)
    }

    fn dispatches(&self) -> usize {
        1
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        // A row is the innermost dimension. If it has gaps in dst or a clamp per index, a row is one element.
        let inner = tile.loops().next().filter(|dim| dim.dst == 1 && !dim.channels);
        let dims = usize::from(inner.is_some());
        let inner = inner.unwrap_or(Loop::ONCE);
        let per_word = WORD.div_ceil(tile.task.arithmetic.dtype.size());
        let (outer, _) = tile.region.dims().split_at(tile.region.dims().len() - dims);
        let same = same_phase(DST, per_word, outer);
        let per_word = per_word as u64;
        // The most elements from the preceding word boundary to the start of a row.
        let begin = if same { u64::from(tile.starts()[DST]) % per_word } else { per_word - 1 };
        let units = Loop { extent: (begin + inner.extent).div_ceil(per_word), ..Loop::ONCE };
        let long_rows = units.extent > UNITS;
        let mut others = tile.nearest_first(dims);
        let (first, rows) = if long_rows {
            (units.in_steps(UNITS), 0)
        } else {
            let rows = others.next().unwrap_or(Loop::ONCE);
            (Loop { extent: rows.extent.div_ceil(ROWS), ..rows }, rows.extent as u32)
        };
        let (mut walk, rank) = Walk::over(tile, [first].into_iter().chain(others));
        let grid = walk.grid(tile);
        let row = Row { length: inner.extent as u32, src_stride: inner.src as u32, padding: [0; 2] };
        let src_in_rows = inner.src == 1 && tile.task.arithmetic.one_size().is_some();
        let entry_point = super::EntryPoint::Gather(EntryPoint { rank, long_rows, src_in_rows });
        Launch::new(
            &Geometry { walk, row, rows, padding: [0; 3] },
            [Some(Dispatch { entry_point, grid }), None],
        )
    }

    fn fragments(&self, arithmetic: Arithmetic) -> Vec<Fragment> {
        let mut fragments = vec![fragment!("kernel/gather"), fragment!("kernel/walk")];
        fragments.extend(unit_fragments(arithmetic));
        fragments
    }

    #[cfg(any(test, fuzzing))]
    fn entry_points(&self) -> Vec<super::EntryPoint> {
        let flags = [(false, false), (false, true), (true, false), (true, true)];
        let of = |rank| flags.map(|(long_rows, src_in_rows)| EntryPoint { rank, long_rows, src_in_rows });
        Rank::ALL.into_iter().flat_map(of).map(super::EntryPoint::Gather).collect()
    }

    #[cfg(test)]
    fn twin(&self) -> crate::fragment::Twin {
        <Geometry as crate::fragment::Mirror>::TWIN
    }
}

/// The fragments that clamp a unit of a row: a word, or a larger element.
pub(super) fn unit_fragments(arithmetic: Arithmetic) -> Vec<Fragment> {
    let size = arithmetic.dtype.size();
    let mut fragments = load_fragments(arithmetic);
    fragments.push(fragment!("kernel/row"));
    match size {
        1 => fragments.extend([fragment!("kernel/unit_packed"), fragment!("packet/word8")]),
        2 => fragments.extend([fragment!("kernel/unit_packed"), fragment!("packet/word16")]),
        _ => {
            fragments.push(fragment!("kernel/unit_whole"));
            fragments.extend(store_fragments(arithmetic));
        }
    }
    fragments.push(size_fragment(size));
    fragments
}
