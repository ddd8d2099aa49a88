//! Rows: what lies next to each other in dst. The host's half of `kernel/row.wgsl` and `kernel/unit_*.wgsl`.

use bytemuck::{Pod, Zeroable};

use super::region::{DST, same_phase};
use super::tile::BoundTile;
use super::{Region, Task, flag, per_word};
use crate::DType;
use crate::fragment::{Fragment, fragment};

/// Mirrors `Row` in `kernel/row.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RowGeometry {
    pub(crate) length: u32,
    pub(crate) src_stride: u32,
    /// To the size of the WGSL struct.
    pub(crate) padding: [u32; 2],
}

/// A row of a tile: its innermost dimension if that has stride 1 in dst, else an element.
pub(super) struct Row {
    /// In elements.
    pub(super) length: u64,
    /// In elements.
    pub(super) src_stride: isize,
    /// 1 if it is a dimension of the tile, 0 if it is one element.
    pub(super) dims: usize,
}

impl Row {
    pub(super) fn of(tile: &BoundTile<'_>) -> Self {
        match tile.loops().next().filter(|dim| dim.dst == 1 && !dim.channels) {
            Some(dim) => Self { length: dim.extent, src_stride: dim.src, dims: 1 },
            None => Self { length: 1, src_stride: 0, dims: 0 },
        }
    }

    pub(super) const fn geometry(&self) -> RowGeometry {
        RowGeometry { length: self.length as u32, src_stride: self.src_stride as u32, padding: [0; 2] }
    }
}

/// Whether rows of `length` elements are long enough for packets. Where they do not fall on packets, each has two
/// edges, which cost as much as a few packets.
pub(super) fn packets_pay(task: &Task, region: &Region, length: usize) -> bool {
    let packet = task.per_packet();
    let whole = region.aligned(DST, packet, region.outer()) && length.is_multiple_of(packet);
    length >= if whole { packet } else { 8 * packet }
}

/// How `row_unit` takes a unit of a row: a word, or an element of 32 or 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowUnit {
    /// An element.
    Whole,
    /// A word of several elements.
    Packed {
        /// `SRC_IN_ROWS`: whether a row has no gaps in src, of elements as large as those of dst.
        src_in_rows: bool,
        /// `EXCLUSIVE_WORDS`: whether no word of dst holds elements of two rows.
        exclusive_words: bool,
    },
}

impl RowUnit {
    pub(super) fn of(tile: &BoundTile<'_>, row: &Row) -> Self {
        if tile.per_word() == 1 {
            return Self::Whole;
        }
        let src_in_rows = row.src_stride == 1 && tile.task.arithmetic.one_size().is_some();
        Self::Packed { src_in_rows, exclusive_words: words_apart(tile, row) }
    }

    /// All that elements of a dtype have.
    pub(super) fn all(dtype: DType) -> Vec<Self> {
        if per_word(dtype) == 1 {
            return vec![Self::Whole];
        }
        let flags = [(false, false), (false, true), (true, false), (true, true)];
        flags.map(|(src_in_rows, exclusive_words)| Self::Packed { src_in_rows, exclusive_words }).to_vec()
    }

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Whole => vec![],
            Self::Packed { src_in_rows, exclusive_words } => {
                vec![flag("SRC_IN_ROWS", src_in_rows), flag("EXCLUSIVE_WORDS", exclusive_words)]
            }
        }
    }

    pub(super) fn fragments(dtype: DType) -> Vec<Fragment> {
        match Self::word_fragment(dtype) {
            Some(word) => vec![fragment!("kernel/unit_packed"), word],
            None => vec![fragment!("kernel/unit_whole")],
        }
    }

    /// The elements of a word, where it holds several.
    pub(super) const fn word_fragment(dtype: DType) -> Option<Fragment> {
        match dtype.size() {
            1 => Some(fragment!("packet/word8")),
            2 => Some(fragment!("packet/word16")),
            _ => None,
        }
    }
}

/// Whether no word of dst holds elements of two rows: all begin at one place in their words, and each stride, from
/// the smallest on, is beyond the words that the smaller ones span.
fn words_apart(tile: &BoundTile<'_>, row: &Row) -> bool {
    let per_word = tile.per_word() as u64;
    let outer = tile.outer(row.dims);
    let mut span = (tile.lane() + row.length).div_ceil(per_word) - 1;
    same_phase(DST, tile.per_word(), outer)
        && outer.iter().zip(tile.tile.extents).rev().all(|(dim, extent)| {
            let stride = dim.dst.unsigned_abs() as u64 / per_word;
            let apart = stride > span;
            span += stride * (extent as u64 - 1);
            apart
        })
}
