//! Layouts as users bring them, and others made from raw bytes: src and dst have one shape, no two indices of dst share an
//! element.

use arbitrary::{Result, Unstructured};
use wgpu_clamp::Layout;

fn packed(shape: &[usize]) -> Layout {
    Layout::packed(shape).unwrap()
}

/// Layouts of src and dst, some of each kind, with the axis along which channels may lie.
pub fn of_users() -> Vec<(Layout, Layout, usize)> {
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

/// Layouts of every kind in this file; most have at most 20,000 elements.
pub fn of_every_kind(u: &mut Unstructured) -> Result<(Layout, Layout)> {
    match u.int_in_range(0..=4)? {
        0 => scattered(u, 20_000),
        1 => padded(u),
        2 => matrices(u),
        3 => groups(u),
        _ => pictures(u),
    }
}

/// Puts the dimensions into any order.
pub fn shuffle(u: &mut Unstructured, order: &mut [usize]) -> Result<()> {
    for d in 1..order.len() {
        order.swap(d, u.int_in_range(0..=d)?);
    }
    Ok(())
}

/// Nested strides in any order, some negative, with gaps. If they `repeat`, indices of some dimensions share elements.
pub fn nested(
    u: &mut Unstructured,
    shape: &[usize],
    repeat: bool,
    gap: fn(&mut Unstructured) -> Result<isize>,
) -> Result<Vec<isize>> {
    let mut order: Vec<usize> = (0..shape.len()).rev().collect();
    shuffle(u, &mut order)?;
    let mut step = *u.choose(&[1_isize, 1, 1, 1, 2, 3, 4, 16])?;
    let mut strides = vec![0; shape.len()];
    for d in order {
        if repeat && u.ratio(1, 6)? {
            strides[d] = *u.choose(&[0, 0, 0, 1, 2, 3])?;
            continue;
        }
        strides[d] = if u.arbitrary()? { -step } else { step };
        let extent = shape[d].max(1).try_into().unwrap_or(isize::MAX);
        step = step.saturating_mul(extent).saturating_add(gap(u)?);
        // Rounds the next stride up to words or packets of some dtype.
        let pitch = *u.choose(&[1_isize, 1, 1, 2, 4, 16])?;
        step = step.saturating_add(pitch - 1) & -pitch;
    }
    Ok(strides)
}

/// The layout with these strides whose lowest address is `lowest`.
fn from(lowest: usize, shape: &[usize], strides: &[isize]) -> Layout {
    let below =
        shape.iter().zip(strides).map(|(n, stride)| n.saturating_sub(1) * stride.min(&0).unsigned_abs());
    Layout::strided(shape, strides, lowest + below.sum::<usize>()).unwrap()
}

/// The address of the first element. Half of these begin a packet, whatever the dtype.
fn offset(u: &mut Unstructured) -> Result<usize> {
    let any = u.int_in_range(0..=299)?;
    Ok(*u.choose(&[0, 32, any, any])?)
}

/// 0 to 8 dimensions in any order in memory, with gaps, some of them reversed. In src, indices of some dimensions share
/// elements. At most `most` elements; one layout in twenty is empty.
pub fn scattered(u: &mut Unstructured, most: usize) -> Result<(Layout, Layout)> {
    let gap = |u: &mut Unstructured| Ok(*u.choose(&[0, 0, 0, 1, 2, 3, 16])?);
    let mut shape = Vec::new();
    for _ in 0..u.int_in_range(0..=8)? {
        let (few, more) = (u.int_in_range(1..=5)?, u.int_in_range(6..=69)?);
        let some = *u.choose(&[8, 16, 31, 32, 64, 68, 129])?;
        shape.push(*u.choose(&[few, few, few, few, few, few, few, few, more, some])?);
    }
    while shape.iter().product::<usize>() > most {
        *shape.iter_mut().max().unwrap() = 1;
    }
    if !shape.is_empty() && u.ratio(1, 20)? {
        let empty = u.choose_index(shape.len())?;
        shape[empty] = 0;
    }
    let src = from(offset(u)?, &shape, &nested(u, &shape, true, gap)?);
    let dst = if u.arbitrary()? { nested(u, &shape, false, gap)? } else { packed(&shape).strides().to_vec() };
    Ok((src, from(offset(u)?, &shape, &dst)))
}

/// Rows of dst that are padded to whole packets; few elements in a row and in the dimensions around it. src has the same
/// dimensions in any order, or indices that share elements.
fn padded(u: &mut Unstructured) -> Result<(Layout, Layout)> {
    let mut shape = Vec::new();
    for _ in 0..u.int_in_range(3..=5)? {
        shape.push(*u.choose(&[2, 2, 2, 2, 2, 3, 4, 33])?);
    }
    while shape.iter().product::<usize>() > 1000 {
        *shape.iter_mut().max().unwrap() = 2;
    }
    let packet = *u.choose(&[8, 4, 16, 8])?;
    shape.push(packet);
    let whole = Layout::packed_at(&shape, *u.choose(&[0, 0, 16, 1])?).unwrap();
    let row = packet - *u.choose(&[1, 1, 2, 3])?;
    let dst = whole.slice(shape.len() - 1, 0..row).unwrap();
    let strides = nested(u, dst.shape(), true, |_| Ok(0))?;
    Ok((from(*u.choose(&[0, 0, 16, 1])?, dst.shape(), &strides), dst))
}

/// Groups of elements that are smaller than a word. dst has one group per word; src has the same, or packed groups.
fn groups(u: &mut Unstructured) -> Result<(Layout, Layout)> {
    let phase = |u: &mut Unstructured| Ok(*u.choose(&[0_usize, 0, 1, 2, 3])?);
    let (lanes, length) = if u.arbitrary()? { (2_usize, 1) } else { (4, u.int_in_range(1..=3)?) };
    let (rows, count) = (u.int_in_range(1..=2)?, *u.choose(&[64_usize, 70, 96, 131])?);
    let shape = [rows, count, length];
    let of_words = |u: &mut Unstructured, lane: usize, offset: usize| {
        let pitch = ((count + phase(u)?) * lanes).next_multiple_of(16);
        let lane = lane.min(lanes - length);
        Ok(from(lane + offset, &shape, &[pitch, lanes, 1].map(usize::cast_signed)))
    };
    let (lane, skip) = (phase(u)?, phase(u)?);
    let dst = of_words(u, lane, 4 * skip)?;
    let (lane, offset) = (phase(u)?, phase(u)?);
    let src = if u.arbitrary()? {
        from(offset, &shape, &[count * length + lane, length, 1].map(usize::cast_signed))
    } else {
        of_words(u, lane, offset)?
    };
    Ok((if u.arbitrary()? { src.flip(0).unwrap() } else { src }, dst))
}

/// Rows, broadcasts, sliding windows and transposes, often aligned to packets.
fn matrices(u: &mut Unstructured) -> Result<(Layout, Layout)> {
    let (batch, kind) = (u.int_in_range(1..=2)?, u.int_in_range(0..=8)?);
    let extents = [3, 16, 64, 65, 80, 129];
    let (rows, columns) = (*u.choose(&extents)?, *u.choose(&extents)?);
    let odd = u.arbitrary()?;
    let pad = |u: &mut Unstructured| Ok(*u.choose(if odd { &[0, 16, 1, 3][..] } else { &[0, 16, 32] })?);
    let padded = |u: &mut Unstructured, rows: usize, columns: usize| {
        let (below, beside) = (pad(u)?, pad(u)?);
        let outer = packed(&[batch, rows + below, columns + beside]);
        Ok(outer.slice(1, 0..rows).unwrap().slice(2, beside..beside + columns).unwrap())
    };
    let shape = [batch, rows, columns];
    let src = match kind {
        0 => padded(u, rows, columns)?,
        1 => padded(u, rows, 1)?.broadcast_to(&shape).unwrap(),
        // One row for all rows.
        2 => padded(u, 1, columns)?.broadcast_to(&shape).unwrap(),
        // A sliding window: rows share elements.
        3 => from(0, &shape, &[(rows + columns).cast_signed(), 1, 1]),
        _ => padded(u, columns, rows)?.permute(&[0, 2, 1]).unwrap(),
    };
    let src = Layout::strided(&shape, src.strides(), src.offset() + pad(u)?).unwrap();
    Ok((if u.arbitrary()? { src.flip(1).unwrap() } else { src }, padded(u, rows, columns)?))
}

/// Pictures, from interleaved to planar or back: at any offsets, rows with a pitch, components in either order.
fn pictures(u: &mut Unstructured) -> Result<(Layout, Layout)> {
    let pad = |u: &mut Unstructured| Ok(*u.choose(&[0, 0, 0, 16, 1, 3])?);
    let components = u.int_in_range(1..=4)?;
    let (taken, skip) = (u.int_in_range(1..=components)?, pad(u)?);
    let (rows, width) = (u.int_in_range(1..=2)?, *u.choose(&[16, 48, 64, 70, 129, 200])?);
    let shape = [u.int_in_range(1..=2)?, taken, rows, width];
    let row = width * components + pad(u)?;
    let pixels = [rows * row + pad(u)?, 1, row, components].map(usize::cast_signed);
    let pixels = from(skip + pad(u)?, &shape, &pixels);
    let row = width + pad(u)?;
    let plane = rows * row + pad(u)?;
    let planes = from(pad(u)?, &shape, &[taken * plane, plane, row, 1].map(usize::cast_signed));
    let pixels = if u.arbitrary()? { pixels.flip(1).unwrap() } else { pixels };
    Ok(if u.arbitrary()? { (planes, pixels) } else { (pixels, planes) })
}
