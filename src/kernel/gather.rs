//! The kernel `gather`, for any layouts. Invocations fill words of dst, or larger elements, element by element.

mod cost;

use super::region::{DST, same_phase};
use super::walk::{BoundTile, Loop, Rank, Walk};
use super::{Dispatch, Launch, WORD, flag, load_fragments, size_fragment, store_fragments};
use crate::arithmetic::Arithmetic;
use crate::fragment::{Fragment, fragment, mirrors};

pub(super) use cost::cost;

/// The most rows that an invocation takes.
const ROWS: u64 = 4;

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
    #[cfg(test)]
    pub(super) fn all() -> Vec<Self> {
        let flags = [(false, false), (false, true), (true, false), (true, true)];
        let of = |rank| flags.map(|(long_rows, src_in_rows)| Self { rank, long_rows, src_in_rows });
        Rank::ALL.into_iter().flat_map(of).collect()
    }

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        let Self { rank, long_rows, src_in_rows } = self;
        vec![rank.constant(), flag("LONG_ROWS", long_rows), flag("SRC_IN_ROWS", src_in_rows)]
    }
}

/// The geometry and the dispatch for one tile.
pub(super) fn launch(tile: &BoundTile<'_>) -> Launch {
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
    Launch::new(&Geometry { walk, row, rows, padding: [0; 3] }, [Some(Dispatch { entry_point, grid }), None])
}

/// The fragments of the kernel.
pub(super) fn fragments(arithmetic: Arithmetic) -> Vec<Fragment> {
    let mut fragments = vec![fragment!("kernel/gather"), fragment!("kernel/walk")];
    fragments.extend(unit_fragments(arithmetic));
    fragments
}

#[cfg(test)]
pub(super) const fn twin() -> crate::fragment::Twin {
    <Geometry as crate::fragment::Mirror>::TWIN
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
