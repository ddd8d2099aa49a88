//! Layouts as users bring them, and random ones: src and dst have one shape, no two indices of dst share an element.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use wgpu_clamp::Layout;

/// Layouts of src and dst, some of each kind, with the axis along which channels may lie.
pub fn of_users() -> Vec<(Layout, Layout, usize)> {
    let packed = |shape: &[usize]| Layout::packed(shape).unwrap();
    let planar = |[c, height, width]: [usize; 3]| packed(&[c, height, width]).permute(&[1, 2, 0]).unwrap();
    let mut all = Vec::new();
    for c in [1, 2, 3, 4, 5, 8, 16, 32] {
        let hwc = packed(&[32, 64, c]);
        let planes = planar([c, 32, 64]);
        let [mirrored, bgr] = [1, 2].map(|axis| hwc.flip(axis).unwrap());
        let turned = packed(&[64, 32, c]).permute(&[1, 0, 2]).unwrap();
        let rotated = turned.flip(0).unwrap();
        let rows = packed(&[40, 96, c + 1]).slice(0, 5..37).unwrap();
        let crop = rows.slice(1, 11..75).unwrap().slice(2, 0..c).unwrap();
        let half = packed(&[32, 128, c]).step(1, 2).unwrap();
        let pairs = [
            [hwc, hwc],
            [hwc, planes],
            [planes, hwc],
            [mirrored, hwc],
            [mirrored, planes],
            [bgr, hwc],
            [bgr, planes],
            [turned, hwc],
            [rotated, hwc],
            [crop, hwc],
            [crop, planes],
            [hwc, crop],
            [half, hwc],
        ];
        all.extend(pairs.map(|[src, dst]| (src, dst, 2)));
        all.push((hwc, hwc, 1));
        // Rows that begin anywhere.
        let (odd, planes) = (packed(&[3, 331, c]), planar([c, 3, 331]));
        let pairs = [[odd, odd], [odd, planes], [planes, odd], [odd.flip(1).unwrap(), odd]];
        all.extend(pairs.map(|[src, dst]| (src, dst, 2)));
    }
    let matrix = packed(&[64, 1024]);
    all.push((matrix, matrix, 1));
    // Rows of few or many packets. Their sources are rows, in phase or not, or one element per row, or one row for all.
    for columns in [144, 640] {
        let rows = |pitch| packed(&[64, pitch]).slice(1, 0..columns).unwrap();
        let [column, row] =
            [[64, 1], [1, columns]].map(|one| packed(&one).broadcast_to(&[64, columns]).unwrap());
        let (even, odd) = (rows(columns), rows(columns + 3));
        let pairs = [(odd, even), (even, odd), (rows(columns + 16), even), (column, even), (row, even)];
        all.extend(pairs.map(|(src, dst)| (src, dst, 0)));
    }
    all
}

/// Values of a strategy, the same at each run.
pub fn drawn<S: Strategy>(strategy: S) -> impl Iterator<Item = S::Value> {
    let mut runner = TestRunner::deterministic();
    std::iter::repeat_with(move || strategy.new_tree(&mut runner).unwrap().current())
}

/// Layouts of every kind in this file.
pub fn of_every_kind() -> impl Strategy<Value = (Layout, Layout)> {
    prop_oneof![scattered(20_000), padded(), matrices(), groups(), pictures()]
}

/// The placement of a dimension in memory.
#[derive(Clone, Copy, Debug)]
struct Dim {
    /// Elements between the end of this dimension and the next step of the dimension around it.
    gap: usize,
    /// The dimension's place in memory: the lowest `order` is innermost.
    order: u16,
    flip: bool,
    /// In src: a fixed stride, so that indices may share elements.
    shared: Option<isize>,
}

fn dim() -> impl Strategy<Value = Dim> {
    let gap = prop_oneof![8 => 0_usize..4, 1 => Just(16)];
    let shared = prop::option::weighted(0.2, select(&[0_isize, 0, 0, 1, 2, 3]));
    (gap, any::<u16>(), any::<bool>(), shared).prop_map(|(gap, order, flip, shared)| Dim {
        gap,
        order,
        flip,
        shared,
    })
}

/// Strides of dimensions that lie in memory by `order`; the innermost has stride `first`. If `shares`, a dimension with
/// a `shared` stride takes this stride and no place in the order.
fn strides(shape: &[usize], dims: &[Dim], first: usize, shares: bool) -> Vec<isize> {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    order.sort_by_key(|&d| dims[d].order);
    let mut strides = vec![0; shape.len()];
    let mut step = first;
    for d in order {
        strides[d] = match dims[d].shared {
            Some(stride) if shares => stride,
            _ => {
                let stride = step.cast_signed();
                step = step * shape[d].max(1) + dims[d].gap;
                stride
            }
        };
    }
    strides
}

fn flipped(layout: Layout, dims: &[Dim]) -> Layout {
    let axes = (0..layout.rank()).filter(|&d| dims[d].flip);
    axes.fold(layout, |layout, axis| layout.flip(axis).unwrap())
}

/// 0 to 8 dimensions in any order in memory, with gaps, some of them flipped. In src, indices of some dimensions share
/// elements. At most `most` elements; one layout in twenty is empty.
pub fn scattered(most: usize) -> impl Strategy<Value = (Layout, Layout)> {
    let extent = prop_oneof![16 => 1_usize..6, 2 => 6_usize..70, 2 => select(&[8, 16, 31, 32, 64, 68, 129])];
    let dims = prop::collection::vec((extent, dim(), dim()), 0..=8);
    let empty = prop::option::weighted(0.05, any::<prop::sample::Index>());
    // Half of the offsets begin a packet, whatever the dtype.
    let offset = || prop_oneof![1 => Just(0), 1 => Just(32), 2 => 0_usize..300];
    let first = || select(&[1_usize, 1, 1, 2, 3, 4]);
    (dims, empty, [first(), first()], [offset(), offset()], any::<bool>()).prop_map(
        move |(dims, empty, first, offset, packed)| {
            let mut shape: Vec<usize> = dims.iter().map(|dim| dim.0).collect();
            while shape.iter().product::<usize>() > most {
                *shape.iter_mut().max().unwrap() = 1;
            }
            if let Some(empty) = empty.filter(|_| !shape.is_empty()) {
                *empty.get_mut(&mut shape) = 0;
            }
            let (src, dst): (Vec<_>, Vec<_>) = dims.iter().map(|dim| (dim.1, dim.2)).unzip();
            let of_src = strides(&shape, &src, first[0], true);
            let of_dst = if packed {
                Layout::packed(&shape).unwrap().strides().to_vec()
            } else {
                strides(&shape, &dst, first[1], false)
            };
            let strided = |strides: Vec<isize>, offset| Layout::strided(&shape, &strides, offset).unwrap();
            (flipped(strided(of_src, offset[0]), &src), flipped(strided(of_dst, offset[1]), &dst))
        },
    )
}

/// Rows of dst that are padded to whole packets; few elements in a row and in the dimensions around it. src has the same
/// dimensions in any order, flipped or with shared elements.
fn padded() -> impl Strategy<Value = (Layout, Layout)> {
    let extent = select(&[2_usize, 2, 2, 2, 3, 4, 33]);
    let outer = prop::collection::vec(extent, 3..=5);
    let offset = || select(&[0_usize, 0, 16, 1]);
    let dims = prop::array::uniform6(dim());
    let padding = prop_oneof![3 => Just(1_usize), 1 => 2_usize..4];
    (outer, select(&[4_usize, 8, 8, 16]), padding, [offset(), offset()], dims, any::<bool>()).prop_map(
        |(mut shape, packet, padding, offsets, mut dims, tight)| {
            while shape.iter().product::<usize>() > 1000 {
                *shape.iter_mut().max().unwrap() = 2;
            }
            shape.push(packet);
            if tight {
                for dim in &mut dims {
                    dim.gap = 0;
                }
            }
            let dst = Layout::packed_at(&shape, offsets[1]).unwrap();
            let dst = dst.slice(shape.len() - 1, 0..packet - padding).unwrap();
            let src = strides(dst.shape(), &dims, 1, true);
            let src = Layout::strided(dst.shape(), &src, offsets[0]).unwrap();
            (flipped(src, &dims), dst)
        },
    )
}

/// Groups of elements that are smaller than a word. dst has one group per word; src has the same, or packed groups.
fn groups() -> impl Strategy<Value = (Layout, Layout)> {
    let phase = || select(&[0_usize, 0, 1, 2, 3]);
    let extent = select(&[64_usize, 70, 96, 131]);
    (1_usize..3, extent, 1_usize..4, [phase(), phase(), phase(), phase()], any::<[bool; 4]>()).prop_map(
        |(rows, count, length, [a, b, offset, skip], [packed, u16s, odd, flip])| {
            let lanes = if u16s { 2 } else { 4 };
            let length = if u16s { 1 } else { length };
            let described = |lane: usize, pad: usize, offset: usize| {
                let pitch = ((count + pad) * lanes).next_multiple_of(16) + usize::from(odd && offset > 0);
                let strides = [pitch, lanes, 1].map(usize::cast_signed);
                Layout::strided(&[rows, count, length], &strides, lane.min(lanes - length) + offset).unwrap()
            };
            let dst = described(a, b, 4 * skip);
            let dst =
                Layout::strided(dst.shape(), &[dst.strides()[0] & !15, dst.strides()[1], 1], dst.offset());
            let src = if packed {
                let pitch = count * length + b;
                let strides = [pitch, length, 1].map(usize::cast_signed);
                Layout::strided(&[rows, count, length], &strides, offset).unwrap()
            } else {
                described(b, a, offset)
            };
            (if flip { src.flip(0).unwrap() } else { src }, dst.unwrap())
        },
    )
}

/// Rows, broadcasts, sliding windows and transposes, often aligned to packets.
fn matrices() -> impl Strategy<Value = (Layout, Layout)> {
    let extent = || select(&[3_usize, 16, 64, 65, 80, 129]);
    let pads = prop_oneof![
        prop::array::uniform5(select(&[0_usize, 16, 32])),
        prop::array::uniform5(select(&[0_usize, 16, 1, 3]))
    ];
    (1_usize..3, extent(), extent(), pads, 0..9, any::<bool>()).prop_map(
        |(batch, rows, columns, pads, kind, flip)| {
            let ([a, b, offset], dst_pad) = ([pads[0], pads[1], pads[2]], [pads[3], pads[4]]);
            let padded = |rows, columns, pad: [usize; 2], offset| {
                let outer = Layout::packed(&[batch, rows + pad[0], columns + pad[1]]).unwrap();
                let inner = outer.slice(1, 0..rows).unwrap().slice(2, pad[1]..pad[1] + columns).unwrap();
                Layout::strided(inner.shape(), inner.strides(), inner.offset() + offset).unwrap()
            };
            let src = match kind {
                0 => padded(rows, columns, [a, b], offset),
                1 => padded(rows, 1, [a, b], offset).broadcast_to(&[batch, rows, columns]).unwrap(),
                // One row for all rows.
                2 => padded(1, columns, [a, b], offset).broadcast_to(&[batch, rows, columns]).unwrap(),
                // A sliding window: rows share elements.
                3 => {
                    let strides = [(rows + columns).cast_signed(), 1, 1];
                    Layout::strided(&[batch, rows, columns], &strides, offset).unwrap()
                }
                _ => padded(columns, rows, [a, b], offset).permute(&[0, 2, 1]).unwrap(),
            };
            let src = if flip { src.flip(1).unwrap() } else { src };
            (src, padded(rows, columns, dst_pad, 0))
        },
    )
}

/// Pictures, from interleaved to planar or back: at any offsets, rows with a pitch, components in either order.
fn pictures() -> impl Strategy<Value = (Layout, Layout)> {
    let width = select(&[16_usize, 48, 64, 70, 129, 200]);
    let pads = || prop::array::uniform4(select(&[0_usize, 0, 0, 16, 1, 3]));
    let components = (1_usize..=4).prop_flat_map(|of| (Just(of), 1..=of));
    (components, 1_usize..3, width, pads(), pads(), any::<[bool; 3]>()).prop_map(
        |((of, count), rows, width, [a, b, offset, skip], [c, d, plane, _], [back, flip, batch])| {
            let batches = if batch { 2 } else { 1 };
            let shape = [batches, count, rows, width];
            let signed = |strides: [usize; 4]| strides.map(usize::cast_signed);
            let row = width * of + a;
            let pixels = signed([rows * row + b, 1, row, of]);
            let pixels = Layout::strided(&shape, &pixels, offset + skip).unwrap();
            let row = width + c;
            let plane_size = rows * row + d;
            let planes = signed([count * plane_size, plane_size, row, 1]);
            let planes = Layout::strided(&shape, &planes, plane).unwrap();
            let pixels = if flip { pixels.flip(1).unwrap() } else { pixels };
            if back { (planes, pixels) } else { (pixels, planes) }
        },
    )
}
