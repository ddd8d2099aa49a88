//! Rows of 8- or 16-bit elements without gaps in dst, or single ones at one place in their words: word by word of dst.

use bytemuck::{Pod, Zeroable};

use super::region::{DST, Region, same_phase};
use super::row::{Row, RowGeometry, RowUnit};
use super::tile::{BoundTile, Launch};
use super::walk::{First, Items, Rank, Walk};
use super::{Claim, Claimant, Definition, Placement, Task, Tiling, load_fragments, per_word, size_fragment};
use crate::DType;
use crate::arithmetic::{Arithmetic, Operators};
use crate::fragment::{Fragment, fragment};

/// Mirrors `Geometry` in `kernel/words.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Geometry {
    pub(crate) walk: Walk,
    pub(crate) row: RowGeometry,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EntryPoint {
    pub(crate) rank: Rank,
    pub(crate) by: By,
    pub(crate) unit: RowUnit,
}

/// What an invocation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum By {
    /// Up to so many words of each of some rows.
    Rows(Items, WordCount),
    /// A word.
    Word,
}

/// The constant `WORDS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WordCount {
    One = 1,
    Two = 2,
    Four = 4,
}

impl By {
    pub(crate) const fn first(self) -> First {
        match self {
            Self::Rows(items, _) => First::Items(items),
            Self::Word => First::Segments,
        }
    }

    pub(crate) const fn words(self) -> WordCount {
        match self {
            Self::Rows(_, words) => words,
            Self::Word => WordCount::One,
        }
    }

    fn all(dtype: DType) -> impl Iterator<Item = Self> {
        let items = Items::all(dtype).into_iter();
        let words = [WordCount::One, WordCount::Two, WordCount::Four];
        items.flat_map(move |items| words.map(|words| Self::Rows(items, words))).chain([Self::Word])
    }
}

impl EntryPoint {
    #[expect(clippy::unused_self, reason = "as those of the other kernels")]
    pub(super) const fn name(self) -> &'static str {
        "words"
    }

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        let mut constants = vec![self.rank.constant(), ("WORDS", f64::from(self.by.words() as u8))];
        constants.extend(self.by.first().constants());
        constants.extend(self.unit.constants());
        constants
    }
}

pub(super) struct Words;

impl Claimant for Words {
    fn serves(&self, arithmetic: Arithmetic, _: Placement) -> bool {
        per_word(arithmetic.dtype) > 1
    }

    fn claim(&self, task: &Task, region: &Region) -> Option<Claim> {
        if region.dims().last().is_some_and(|dim| dim.dst == 1 && !dim.channels) {
            return Some(Claim::all("rows without gaps in dst, by words of several elements"));
        }
        let alone = same_phase(DST, task.per_word(), region.dims());
        alone.then(|| Claim::all("single elements, each at one place in a word of its own"))
    }
}

impl Definition for Words {
    fn tiling(&self, task: &Task) -> Tiling {
        Tiling::of_elements(task)
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let row = Row::of(tile);
        let per_word = tile.per_word() as u64;
        // In elements: how far behind a word's start a row may begin.
        let same = same_phase(DST, tile.per_word(), tile.outer(row.dims));
        let begin = if same { tile.lane() } else { per_word - 1 };
        let words = (begin + row.length).div_ceil(per_word);
        // Short rows are taken whole.
        let whole = match words {
            0 | 1 => Some(WordCount::One),
            2 => Some(WordCount::Two),
            3 | 4 => Some(WordCount::Four),
            _ => None,
        };
        let (mut walk, rank, by) = if let Some(count) = whole {
            let (walk, rank, items) = Walk::over_items(tile, row.dims);
            (walk, rank, By::Rows(items, count))
        } else {
            let (walk, rank) = Walk::over_segments(tile, words, tile.nearest_first(row.dims));
            (walk, rank, By::Word)
        };
        let grid = walk.grid(tile);
        let entry_point = super::EntryPoint::Words(EntryPoint { rank, by, unit: RowUnit::of(tile, &row) });
        Launch::single(&Geometry { walk, row: row.geometry() }, entry_point, grid)
    }

    fn fragments(&self, arithmetic: Arithmetic, _: Operators) -> Vec<Fragment> {
        let mut fragments = RowUnit::fragments(arithmetic.dtype);
        fragments.extend([
            fragment!("kernel/words"),
            fragment!("kernel/walk"),
            fragment!("kernel/divide"),
            fragment!("kernel/items"),
            fragment!("kernel/row"),
        ]);
        fragments.extend(load_fragments(arithmetic));
        fragments.push(size_fragment(arithmetic.dtype.size()));
        fragments
    }

    fn entry_points(&self, arithmetic: Arithmetic) -> Vec<super::EntryPoint> {
        let dtype = arithmetic.dtype;
        let mut all = Vec::new();
        for rank in Rank::ALL {
            for by in By::all(dtype) {
                let of_unit = |unit| super::EntryPoint::Words(EntryPoint { rank, by, unit });
                all.extend(RowUnit::all(dtype).into_iter().map(of_unit));
            }
        }
        all
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        super::twin!("Geometry", Geometry: walk row)
    }
}
