//! Blocks of the layouts that users bring, for tests that go through modules: there is no list of all.

use super::Block;
use crate::arithmetic::{Arithmetic, Operators};
use crate::kernel::{Kernel, Limits, Placement, Region, Task, claims};
use crate::{Error, Layout};

/// A layout of each kind, src and dst, with the axis along which channels may lie.
pub(crate) fn layouts() -> Vec<(Layout, Layout, usize)> {
    let mut all = Vec::new();
    for c in [1, 2, 3, 4, 5, 8, 16, 64] {
        let hwc = Layout::packed(&[32, 64, c]);
        let planes = Layout::packed(&[c, 32, 64]).and_then(|planes| planes.permute(&[1, 2, 0]));
        let turned = Layout::packed(&[64, 32, c]).and_then(|turned| turned.permute(&[1, 0, 2]));
        let wide = Layout::packed(&[40, 96, c + 1]);
        let crop = wide.and_then(|wide| wide.slice(0, 5..37)?.slice(1, 11..75)?.slice(2, 0..c));
        let half = Layout::packed(&[32, 128, c]).and_then(|half| half.step(1, 2));
        let (hwc, planes, turned, crop) = (hwc.unwrap(), planes.unwrap(), turned.unwrap(), crop.unwrap());
        let pairs: [Result<_, Error>; 13] = [
            Ok([hwc, hwc]),
            Ok([hwc, planes]),
            Ok([planes, hwc]),
            hwc.flip(1).map(|mirrored| [mirrored, hwc]),
            hwc.flip(1).map(|mirrored| [mirrored, planes]),
            hwc.flip(2).map(|bgr| [bgr, hwc]),
            hwc.flip(2).map(|bgr| [bgr, planes]),
            Ok([turned, hwc]),
            turned.flip(0).map(|turned| [turned, hwc]),
            Ok([crop, hwc]),
            Ok([crop, planes]),
            Ok([hwc, crop]),
            half.map(|half| [half, hwc]),
        ];
        all.extend(pairs.into_iter().map(|pair| pair.unwrap()).map(|[src, dst]| (src, dst, 2)));
        all.push((hwc, hwc, 1));
        // Rows that begin anywhere.
        let odd = Layout::packed(&[3, 331, c]).unwrap();
        let planes = Layout::packed(&[c, 3, 331]).and_then(|planes| planes.permute(&[1, 2, 0])).unwrap();
        let pairs: [Result<_, Error>; 4] = [
            Ok([odd, odd]),
            Ok([odd, planes]),
            Ok([planes, odd]),
            odd.flip(1).map(|mirrored| [mirrored, odd]),
        ];
        all.extend(pairs.into_iter().map(|pair| pair.unwrap()).map(|[src, dst]| (src, dst, 2)));
    }
    let matrix = Layout::packed(&[64, 1024]).unwrap();
    all.push((matrix, matrix, 1));
    all
}

/// The kernel, if blocks take a region of these layouts, and how clamps come to it.
fn block(
    arithmetic: Arithmetic,
    placement: Placement,
    (src, dst, axis): &(Layout, Layout, usize),
    with_channels: bool,
) -> Option<(Kernel, Operators)> {
    let channels = if with_channels { src.shape()[*axis] } else { 1 };
    let task = Task { arithmetic, channels, placement, limits: Limits::default() };
    let region = Region::collapsed(src, dst, with_channels.then_some(*axis));
    let (kernel, _) = claims(&task, &region).next()?;
    matches!(kernel, Kernel::Block(_)).then(|| (kernel, Operators::of(channels, false)))
}

impl Block {
    /// Those of each arithmetic for the layouts, of which every `step`-th is taken in turn, and their placements.
    pub(crate) fn samples(step: usize) -> impl Iterator<Item = (Arithmetic, Operators, Kernel, Placement)> {
        let layouts = layouts();
        let mut met = std::collections::HashSet::new();
        Arithmetic::all().enumerate().flat_map(move |(n, arithmetic)| {
            let turns = layouts.iter().enumerate().skip(n % step).step_by(step);
            let of_turn = |(turn, layouts)| {
                let placement = Placement::ALL[(n + turn / step) % 3];
                let with_channels = [false, true].into_iter();
                let taken = with_channels
                    .filter_map(move |with_channels| block(arithmetic, placement, layouts, with_channels));
                taken.map(move |(kernel, operators)| (arithmetic, operators, kernel, placement))
            };
            let all: Vec<_> = turns.flat_map(of_turn).filter(|sample| met.insert(*sample)).collect();
            all
        })
    }
}
