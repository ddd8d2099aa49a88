//! Pieces for layouts as users have them, for tests of many modules. They are samples: no list has all pieces.

use super::{Kernel, Limits, Placement, Region, Task, candidates};
use crate::Layout;
use crate::arithmetic::{Arithmetic, ParameterPlace, Shortcuts};

/// The layouts of `clamp_testing`, which links another build of this crate.
fn layouts() -> Vec<(Layout, Layout, usize)> {
    let all = clamp_testing::layouts::of_users().into_iter();
    let own = |shape: &[usize], strides: &[isize], offset| Layout::strided(shape, strides, offset).unwrap();
    all.map(|(src, dst, axis)| {
        let src = own(src.shape(), src.strides(), src.offset());
        (src, own(dst.shape(), dst.strides(), dst.offset()), axis)
    })
    .collect()
}

/// The pieces that could take the region of these layouts, and the place of their parameters.
fn pieces(
    arithmetic: Arithmetic,
    placement: Placement,
    (src, dst, axis): &(Layout, Layout, usize),
    with_channels: bool,
) -> Vec<(Kernel, ParameterPlace)> {
    let channels = if with_channels { src.shape()[*axis] } else { 1 };
    let (shortcuts, limits) = (Shortcuts::default(), Limits::default());
    let place = if channels > 1 { ParameterPlace::Table } else { ParameterPlace::Block };
    let task = Task { arithmetic, shortcuts, channels, place, placement, limits };
    let region = Region::collapsed(src, dst, with_channels.then_some(*axis));
    let all = candidates(&task, &region).map(|one| (one.kernel, place));
    all.filter(|(kernel, _)| *kernel != Kernel::Words).collect()
}

/// Pieces for each arithmetic and every `step`-th layout, each once: all that could take the layout, in turn. The first layout
/// and the placement differ from one arithmetic to the next.
pub(crate) fn samples(step: usize) -> impl Iterator<Item = (Arithmetic, ParameterPlace, Kernel, Placement)> {
    let layouts = layouts();
    let mut met = std::collections::HashSet::new();
    Arithmetic::all().enumerate().flat_map(move |(n, arithmetic)| {
        let turns = layouts.iter().enumerate().skip(n % step).step_by(step);
        let of_turn = |(turn, layouts)| {
            let placement = Placement::ALL[(n + turn / step) % 3];
            let taken = [false, true].into_iter().filter_map(move |with_channels| {
                let mut all = pieces(arithmetic, placement, layouts, with_channels);
                if all.is_empty() { None } else { Some(all.swap_remove((n + turn) % all.len())) }
            });
            taken.map(move |(kernel, parameters)| (arithmetic, parameters, kernel, placement))
        };
        let all: Vec<_> = turns.flat_map(of_turn).filter(|sample| met.insert(*sample)).collect();
        all
    })
}

mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{Clamp, DType};

    /// No text contains the extents, offsets or far strides of a tensor, so each kind of layout has few pieces, at any
    /// sizes and offsets.
    #[test]
    fn texts_are_few() {
        let at = |layout: &Layout, offset: usize| {
            Layout::strided(layout.shape(), layout.strides(), layout.offset() + offset).unwrap()
        };
        let sizes = [(40, 64), (33, 128), (64, 200), (25, 331), (70, 1024), (31, 1531)];
        let mut most = 0;
        for (source, dtype) in [(DType::U8, DType::U8), (DType::U8, DType::F32), (DType::F32, DType::U8)] {
            let clamp = Clamp::unbounded(dtype).with_source(source).unwrap();
            let task = Task::of(&[clamp], 1, Placement::TwoBuffers, Limits::default(), |_, _| {}).unwrap();
            for (c, kind) in [1, 3, 4, 16].into_iter().flat_map(|c| (0..5).map(move |kind| (c, kind))) {
                let mut pieces = HashSet::new();
                for (height, width) in sizes {
                    let hwc = Layout::packed(&[height, width, c]).unwrap();
                    let planes = Layout::packed(&[c, height, width]).unwrap().permute(&[1, 2, 0]).unwrap();
                    let turned = Layout::packed(&[width, height, c]).unwrap().permute(&[1, 0, 2]).unwrap();
                    let (src, dst) = match kind {
                        0 => (hwc.flip(1).unwrap(), hwc),
                        1 => (hwc, planes),
                        2 => (planes, hwc),
                        3 => (hwc.flip(2).unwrap(), hwc),
                        _ => (turned, hwc),
                    };
                    for offset in 0..32 {
                        let region = Region::collapsed(&at(&src, offset * 7 % 32), &at(&dst, offset), None);
                        pieces.extend(candidates(&task, &region).next().map(|one| one.kernel));
                    }
                }
                assert!(pieces.len() <= 13, "{source} to {dtype}, {c} components, {kind}: {pieces:#?}");
                most = most.max(pieces.len());
            }
        }
        println!("{most} at most");
    }
}
