//! Blocks for layouts as users have them, for tests of many modules. They are samples: no list has all blocks.

use super::Block;
use crate::Layout;
use crate::arithmetic::{Arithmetic, ParameterPlace, Shortcuts};
use crate::kernel::{Candidates, Kernel, Limits, Placement, Region, Task};

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

/// The block that claims the region of these layouts, if any, and the place of its parameters.
fn block(
    arithmetic: Arithmetic,
    placement: Placement,
    (src, dst, axis): &(Layout, Layout, usize),
    with_channels: bool,
) -> Option<(Kernel, ParameterPlace)> {
    let channels = if with_channels { src.shape()[*axis] } else { 1 };
    let (shortcuts, limits) = (Shortcuts::default(), Limits::default());
    let task = Task { arithmetic, shortcuts, channels, placement, limits };
    let region = Region::collapsed(src, dst, with_channels.then_some(*axis));
    let kernel = Candidates::new(&task, &region)
        .iter()
        .map(|one| one.kernel)
        .find(|kernel| *kernel != Kernel::Gather)?;
    Some((kernel, ParameterPlace::of(channels, ParameterPlace::Block.in_block())))
}

impl Block {
    /// Blocks for each arithmetic and every `step`-th layout, each once. The first layout and the placement differ from
    /// one arithmetic to the next.
    pub(crate) fn samples(
        step: usize,
    ) -> impl Iterator<Item = (Arithmetic, ParameterPlace, Kernel, Placement)> {
        let layouts = layouts();
        let mut met = std::collections::HashSet::new();
        Arithmetic::all().enumerate().flat_map(move |(n, arithmetic)| {
            let turns = layouts.iter().enumerate().skip(n % step).step_by(step);
            let of_turn = |(turn, layouts)| {
                let placement = Placement::ALL[(n + turn / step) % 3];
                let with_channels = [false, true].into_iter();
                let taken = with_channels
                    .filter_map(move |with_channels| block(arithmetic, placement, layouts, with_channels));
                taken.map(move |(kernel, parameters)| (arithmetic, parameters, kernel, placement))
            };
            let all: Vec<_> = turns.flat_map(of_turn).filter(|sample| met.insert(*sample)).collect();
            all
        })
    }
}

mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{Clamp, DType};

    /// No text contains the extents, offsets or far strides of a tensor, so each kind of layout has few blocks, at any
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
                let mut blocks = HashSet::new();
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
                        blocks.extend(Candidates::new(&task, &region).iter().next().map(|one| one.kernel));
                    }
                }
                assert!(blocks.len() <= 13, "{source} to {dtype}, {c} components, {kind}: {blocks:#?}");
                most = most.max(blocks.len());
            }
        }
        println!("{most} at most");
    }
}
