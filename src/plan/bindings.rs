//! The bindings that span a tile.

use std::iter;

use crate::Limits;
use crate::kernel::region::{DST, SRC};
use crate::kernel::{Placement, Region, Task, Tile, WORD};
use crate::shader::binding;

/// A part of a buffer, in bytes. The offset suits a binding, the size is a multiple of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl Range {
    /// The binding that spans `elements`, the first and the last address, inclusive. It ends at a multiple of `end`
    /// bytes. `None` if it is too long.
    pub(crate) fn spanning(elements: (usize, usize), size: u64, end: u64, limits: &Limits) -> Option<Self> {
        let first = elements.0 as u128 * u128::from(size);
        Self::covering((first, (elements.1 as u128 + 1) * u128::from(size)), end, limits)
    }

    /// As [`spanning`](Self::spanning), for the bytes `first..behind`.
    fn covering((first, behind): (u128, u128), end: u64, limits: &Limits) -> Option<Self> {
        let last = behind.next_multiple_of(end.into());
        let offset = first - first % u128::from(limits.binding_start());
        let range = Self { offset: offset.try_into().ok()?, size: (last - offset).try_into().ok()? };
        (range.size <= limits.binding_size()).then_some(range)
    }

    const fn end(self) -> u64 {
        self.offset + self.size
    }
}

/// The bindings of a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bindings {
    pub(crate) placement: Placement,
    /// The range of src; with [`Placement::OneBuffer`], the range of both sides.
    pub(crate) src: Range,
    pub(crate) dst: Range,
}

impl Bindings {
    /// The storage bindings: binding number, side of the buffer, range.
    pub(crate) fn storage(&self) -> impl Iterator<Item = (u32, usize, Range)> {
        let dst = (self.placement != Placement::OneBuffer).then_some((binding::DST, DST, self.dst));
        iter::once((binding::SRC, SRC, self.src)).chain(dst)
    }
}

/// The bindings that span a tile and end at multiples of `ends` bytes. `None` if a binding is too long, or if two
/// ranges of one buffer overlap.
pub(super) fn bind(task: &Task, region: &Region, tile: &Tile, ends: [u64; 2]) -> Option<Bindings> {
    let [src_size, dst_size] = task.arithmetic.sizes().map(|size| size as u64);
    let [src, dst] = [SRC, DST].map(|side| region.span(side, tile));
    let word = WORD as u64;
    let apart = |placement| {
        let src = Range::spanning(src, src_size, ends[0], &task.limits)?;
        Some(Bindings { placement, src, dst: Range::spanning(dst, dst_size, ends[1], &task.limits)? })
    };
    if task.placement == Placement::TwoBuffers {
        return apart(Placement::TwoBuffers);
    }
    let byte = |element: usize, size: u64| element as u128 * u128::from(size);
    let first = byte(src.0, src_size).min(byte(dst.0, dst_size));
    let behind = |last: usize, size: u64, end: u64| byte(last + 1, size).next_multiple_of(end.into());
    let behind = behind(src.1, src_size, ends[0]).max(behind(dst.1, dst_size, ends[1]));
    let both = Range::covering((first, behind), word, &task.limits);
    if let Some(both) = both {
        return Some(Bindings { placement: Placement::OneBuffer, src: both, dst: both });
    }
    let bindings = apart(Placement::TwoRanges)?;
    let disjoint = bindings.src.end() <= bindings.dst.offset || bindings.dst.end() <= bindings.src.offset;
    disjoint.then_some(bindings)
}
