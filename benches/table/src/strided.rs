//! Rows for tensors with strides: pitches, broadcasts, permutations, many dimensions, gaps.

use anyhow::Result;
use wgpu_clamp::{DType, Error, Layout};

use crate::case::{Against, Case};
use crate::data;
use crate::row::Goal::{Report, Speed};
use crate::row::{Goal, Row};

/// One dtype of each width.
const WIDTHS: [DType; 4] = [DType::U8, DType::F16, DType::F32, DType::F64];

/// All rows of this file, of tensors of `bytes` bytes.
pub fn rows(bytes: usize) -> Result<Vec<Row>> {
    let groups = [pitches, broadcasts, permutations, eight_dimensions, gaps];
    let groups = groups.map(|group| group(bytes)).into_iter().collect::<Result<Vec<_>>>()?;
    Ok(groups.into_iter().flatten().collect())
}

fn case(dtype: DType, src: Layout, dst: Layout) -> Case {
    Case::new(data::bounds(dtype), src, dst)
}

/// Rows of 4,000 bytes: many packets, and not a power of two.
fn pitches(bytes: usize) -> Result<Vec<Row>> {
    let mut out = Vec::new();
    for dtype in WIDTHS {
        let size = dtype.size();
        let columns = 4000 / size;
        let shape = [bytes / 4000, columns];
        for (name, pitches, goals) in [
            ("pitch of 16-byte steps", [96 / size, 32 / size], [Speed(0.90), Speed(0.80)]),
            ("odd pitch to packed", [3, 0], [Speed(0.80), Speed(0.60)]),
            ("odd pitch to odd pitch", [3, 1], [Speed(0.80), Speed(0.60)]),
        ] {
            let rows = |gap: usize| Layout::strided(&shape, &[(columns + gap).cast_signed(), 1], 0);
            out.push(case(dtype, rows(pitches[0])?, rows(pitches[1])?).row("rows", name, goals));
        }
    }
    Ok(out)
}

fn broadcasts(bytes: usize) -> Result<Vec<Row>> {
    let mut out = Vec::new();
    for dtype in WIDTHS {
        let shape = [bytes / 4096, 4096 / dtype.size()];
        for (name, from) in [
            ("a column to all columns", [shape[0], 1]),
            ("a row to all rows", [1, shape[1]]),
            ("one element to all", [1, 1]),
        ] {
            let (src, dst) = (Layout::packed(&from)?.broadcast_to(&shape)?, Layout::packed(&shape)?);
            let case = Case { rival: Against::Fill, ..case(dtype, src, dst) };
            out.push(case.row("broadcast, against a fill", name, [Speed(0.95), Speed(0.90)]));
        }
    }
    Ok(out)
}

/// Rows whose source and destination have different innermost dimensions.
fn permutations(bytes: usize) -> Result<Vec<Row>> {
    let mut out = Vec::new();
    for dtype in [DType::F32, DType::F16, DType::U8, DType::F64] {
        let goals = permutation_goals(dtype);
        let elements = bytes / dtype.size();
        // Not a square, and not a power of two: rows a power of two apart would share one set of a cache.
        let side = (elements.isqrt() / 16 * 16).saturating_sub(48).max(16);
        let plane = Layout::packed(&[side, elements / side / 16 * 16])?;
        out.push(permuted(dtype, plane, &[1, 0])?.row("permutations", "transpose", goals));
        for channels in [64, 3] {
            let side = (elements / channels / 8).isqrt() / 4 * 4;
            // Not a power of two either.
            let side = if side.is_power_of_two() { side.saturating_sub(4).max(4) } else { side };
            let goals = if channels == 64 { goals } else { [Report, Report] };
            for (from, to, shape, order) in [
                ("NCHW", "NHWC", [8, channels, side, side], [0, 2, 3, 1]),
                ("NHWC", "NCHW", [8, side, side, channels], [0, 3, 1, 2]),
            ] {
                let name = format!("{from} to {to}, {channels} channels");
                out.push(permuted(dtype, Layout::packed(&shape)?, &order)?.row("permutations", name, goals));
            }
        }
    }
    Ok(out)
}

/// A case from permuted dimensions to packed ones.
fn permuted(dtype: DType, packed: Layout, order: &[usize]) -> Result<Case, Error> {
    let src = packed.permute(order)?;
    Ok(case(dtype, src, Layout::packed(src.shape())?))
}

fn permutation_goals(dtype: DType) -> [Goal; 2] {
    match dtype {
        DType::F32 => [Speed(0.75), Speed(0.45)],
        DType::F16 => [Speed(0.75), Speed(0.38)],
        DType::U8 => [Speed(0.60), Speed(0.20)],
        _ => [Report, Report],
    }
}

/// Rows with eight dimensions, none of which merge. The innermost one has 8 adjacent elements.
fn eight_dimensions(bytes: usize) -> Result<Vec<Row>> {
    let goals = [Speed(0.50), Speed(0.70)];
    let mut out = Vec::new();
    for dtype in [DType::F32, DType::U8] {
        let mut shape = [8; 8];
        shape[0] = (bytes / dtype.size() / 8_usize.pow(7)).max(1);
        shape_for_small(&mut shape, bytes / dtype.size());
        let turned = permuted(dtype, Layout::packed(&shape)?, &[6, 5, 4, 3, 2, 1, 0, 7])?;
        out.push(turned.row("eight dimensions", "the outer seven reversed", goals));
        let gapped = case(dtype, gapped(&shape, 0)?, gapped(&shape, 1)?);
        out.push(gapped.row("eight dimensions", "a gap after each", goals));
        // Two dimensions, to show what short rows of 8 elements cost by themselves.
        let rows = shape[..7].iter().product();
        let half = Layout::packed(&[rows, 16])?.slice(1, 0..8)?;
        let plain = case(dtype, half, Layout::packed(&[rows, 8])?);
        out.push(plain.row("eight dimensions", "two, with rows as short", [Report, Report]));
    }
    Ok(out)
}

/// Halves the outer seven extents in turn, down to 2, until the tensor has at most `elements` elements.
fn shape_for_small(shape: &mut [usize; 8], elements: usize) {
    let mut axis = 0;
    while shape.iter().product::<usize>() > elements {
        shape[axis] = (shape[axis] / 2).max(2);
        axis = (axis + 1) % 7;
    }
}

/// Strides with a gap after every second dimension, as long as one step of that dimension. If source and destination
/// differ in `phase`, no two dimensions merge.
fn gapped(shape: &[usize; 8], phase: usize) -> Result<Layout> {
    let mut strides = [1; 8];
    for axis in (0..7).rev() {
        let span = strides[axis + 1] * shape[axis + 1].cast_signed();
        strides[axis] = if axis % 2 == phase { span + strides[axis + 1] } else { span };
    }
    Ok(Layout::strided(shape, &strides, 0)?)
}

/// Rows whose output leaves some bytes of a word alone.
fn gaps(bytes: usize) -> Result<Vec<Row>> {
    let goals = [Report, Speed(0.30)];
    // The output spans `bytes`, gaps included.
    let pixels = [bytes / 4, 3];
    let bytes_of_four = case(DType::U8, Layout::packed(&pixels)?, Layout::strided(&pixels, &[4, 1], 0)?);
    let halves = [bytes / 4];
    let every_second = case(DType::U16, Layout::packed(&halves)?, Layout::strided(&halves, &[2], 0)?);
    Ok(vec![
        bytes_of_four.row("gaps in words", "3 bytes of 4", goals),
        every_second.row("gaps in words", "every second u16", goals),
    ])
}
