//! The cases of `--layouts`: layouts that users bring × pairs of dtypes, with scale and bias.

use anyhow::Result;
use half::f16;
use wgpu_clamp::{Clamp, DType, Layout, Rounding};

use crate::case::Case;

/// The dtypes of source and destination.
type Pair = [DType; 2];

/// Single dtypes, and the conversions of pictures and networks in both directions.
const PAIRS: [Pair; 8] = [
    [DType::U8, DType::U8],
    [DType::U8, DType::F16],
    [DType::U8, DType::F32],
    [DType::F32, DType::U8],
    [DType::F32, DType::I8],
    [DType::F16, DType::F16],
    [DType::F32, DType::F32],
    [DType::I32, DType::I32],
];

/// The size of the cases.
#[derive(Clone, Copy)]
pub enum Size {
    /// Half of the bytes of source and destination together, as a copy has.
    Bytes(usize),
    /// Elements of the destination.
    Elements(usize),
}

/// All cases, a layout with each pair after the other. Tensors have fewer elements where they would take more than `most`
/// bytes.
pub fn layouts(section: &str, size: Size, most: u64) -> Result<Vec<Case>> {
    let mut by_pair = Vec::new();
    for pair in PAIRS {
        let elements = match size {
            Size::Bytes(bytes) => 2 * bytes / (pair[0].size() + pair[1].size()),
            Size::Elements(elements) => elements,
        };
        let mut cases = of_pair(section, pair, elements)?;
        for (n, case) in cases.iter_mut().enumerate() {
            let needed = case.src.required_bytes(pair[0]).max(case.dst.required_bytes(pair[1]));
            if needed > most {
                // 15/16, because a crop's source has a few rows and columns more than its destination.
                let count = elements as u128 * u128::from(most) * 15 / 16 / u128::from(needed);
                *case = of_pair(section, pair, count as usize)?.swap_remove(n);
            }
        }
        by_pair.push(cases.into_iter());
    }
    let in_turns = std::iter::from_fn(|| by_pair.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>());
    Ok(in_turns.flatten().collect())
}

/// The cases of a pair with about `elements` elements.
fn of_pair(section: &str, pair: Pair, elements: usize) -> Result<Vec<Case>> {
    let [source, dtype] = pair;
    let to_another_size = source.size() != dtype.size();
    // The table has stricter goals for flat tensors and for planes.
    let least = 0.15;
    let mut cases = Vec::new();
    let mut add = |name: &str, axis: Option<usize>, layouts: [Layout; 2], goal: f64| -> Result<()> {
        let case = Case::new(section, name, clamp(pair, 0)?, layouts);
        let case = Case { goals: [None, Some(goal)], ..case };
        cases.push(match axis {
            Some(axis) => case.along(axis, |channel| clamp(pair, channel))?,
            None => case,
        });
        Ok(())
    };

    let flat = Layout::packed(&[elements])?;
    add("flat", None, [flat, flat], least)?;
    let odd = Layout::packed(&[elements + 5])?.slice(0, 5..elements + 5)?;
    add("flat, at an odd offset", None, [odd, flat], least)?;

    let pixels = |c: usize| -> Result<[Layout; 2]> {
        let [h, w] = sides(elements / c);
        Ok([Layout::packed(&[h, w, c])?, Layout::packed(&[c, h, w])?.permute(&[1, 2, 0])?])
    };
    for c in [3, 4, 8, 16, 64, 1024] {
        let [hwc, _] = pixels(c)?;
        let goal = match dtype.size() {
            _ if c > 4 || !to_another_size => 0.28,
            1 => 0.5,
            2 => 0.4,
            _ => 0.6,
        };
        add(&format!("HWC to HWC, {c} channels, per channel"), Some(2), [hwc, hwc], goal)?;
    }
    let to_planes = |c| match (c, pair) {
        (8, [DType::U8, DType::U8]) => 0.25,
        (16, [DType::F32, DType::F32]) => 0.4,
        _ => least,
    };
    for c in [2, 3, 4, 8, 16, 64] {
        add(&format!("HWC to CHW, {c} channels, per channel"), Some(2), pixels(c)?, to_planes(c))?;
    }
    for c in [3, 8, 16] {
        add(&format!("HWC to CHW, {c} channels, one clamp"), None, pixels(c)?, to_planes(c))?;
    }
    for c in [2, 3, 4, 8, 16, 64] {
        let [hwc, chw] = pixels(c)?;
        add(&format!("CHW to HWC, {c} channels, per channel"), Some(2), [chw, hwc], least)?;
    }
    let [hwc, chw] = pixels(3)?;
    add("CHW to CHW, 3 channels, per channel", Some(2), [chw, chw], least)?;

    let [plane, _] = pixels(1)?;
    let [h, w] = sides(elements / 3);
    let [plane_h, plane_w] = sides(elements);
    let crop = Layout::packed(&[h + 9, w + 37, 3])?.slice(0, 5..h + 5)?.slice(1, 11..w + 11)?;
    let rgba = Layout::packed(&[h, w, 4])?.slice(2, 0..3)?;
    let rotated = Layout::packed(&[w, h, 3])?.permute(&[1, 0, 2])?.flip(0)?;
    let rotated_planes = Layout::packed(&[3, w, h])?.permute(&[2, 1, 0])?.flip(0)?;
    let wide = Layout::packed(&[h, 2 * w, 3])?.step(1, 2)?;
    let wide_plane = Layout::packed(&[plane_h, 2 * plane_w, 1])?.step(1, 2)?;
    let transposed = Layout::packed(&[plane_w, plane_h, 1])?.permute(&[1, 0, 2])?;
    let of_transpose = match dtype {
        _ if to_another_size => 0.5,
        DType::F32 => 0.5,
        DType::U8 => 0.25,
        _ => least,
    };
    for (name, layouts, goal) in [
        ("HWC to HWC, BGR to RGB", [hwc.flip(2)?, hwc], 0.4),
        ("HWC to CHW, BGR to RGB", [hwc.flip(2)?, chw], least),
        ("HWC to HWC, mirrored", [hwc.flip(1)?, hwc], 0.33),
        ("HWC to CHW, mirrored", [hwc.flip(1)?, chw], if dtype == DType::F32 { 0.6 } else { least }),
        ("plane, mirrored", [plane.flip(1)?, plane], 0.25),
        ("HWC to HWC, upside down", [hwc.flip(0)?, hwc], least),
        ("HWC to HWC, rotated by 90°", [rotated, hwc], 0.2),
        ("CHW to CHW, rotated by 90°", [rotated_planes, chw], least),
        ("HWC to HWC, RGBA to RGB", [rgba, hwc], 0.3),
        ("HWC to HWC, RGB into RGBA", [hwc, rgba], least),
        ("HWC to CHW, RGBA to RGB", [rgba, chw], least),
        ("HWC to HWC, a crop at odd places", [crop, hwc], least),
        ("HWC to CHW, a crop at odd places", [crop, chw], least),
        ("HWC to HWC, every second pixel", [wide, hwc], least),
        ("plane, every second column", [wide_plane, plane], least),
        ("2-D transpose", [transposed, plane], of_transpose),
    ] {
        add(name, None, layouts, goal)?;
    }
    let matrix = Layout::packed(&[(elements / (2304 * 1024)).max(1), 2304, 1024])?;
    add("[2304, 1024], per row", Some(1), [matrix, matrix], least)?;
    add("[2304, 1024], per column", Some(2), [matrix, matrix], least)?;
    Ok(cases)
}

/// Height and width of a picture of about `pixels` pixels. The width is a multiple of 64 and, if above 64, not a
/// power of two: rows that far apart would share one set of a cache.
fn sides(pixels: usize) -> [usize; 2] {
    let width = (pixels.isqrt() / 64 * 64).max(64);
    let width = if width > 64 && width.is_power_of_two() { width - 64 } else { width };
    [(pixels / width).max(1), width]
}

/// A clamp with scale and bias whose bounds replace some of the elements. The numbers repeat every 97 channels.
fn clamp([source, dtype]: Pair, channel: usize) -> Result<Clamp> {
    let n = (channel % 97) as u16;
    let near = f32::from(n) / 128.0;
    let clamp = match dtype {
        DType::U8 => Clamp::new(5 + n as u8 / 8, 250 - n as u8 / 8),
        DType::I8 => Clamp::new(-100 + n as i8 / 8, 100 - n as i8 / 8),
        DType::F16 => Clamp::new(f16::from_f32(-4.1 - near), f16::from_f32(3.9 + near)),
        DType::F32 => Clamp::new(-4.1 - near, 3.9 + near),
        _ => Clamp::new(-1_000_000_007 - i32::from(n), 999_999_937 + i32::from(n)),
    };
    let (scale, bias) = match (source, dtype) {
        // Maps bytes to about −5 to 5.
        (DType::U8, DType::F16 | DType::F32) => (0.04 + near / 100.0, -5.0 - near),
        (DType::U8, _) => (1.5 + near, -20.0 - f32::from(n)),
        // The source has floats from −8 to 8.
        (_, DType::U8) => (17.3 + near, 128.0 - near),
        (_, DType::I8) => (15.7 + near, 0.5 + near),
        _ => (1.7 + near, -0.3 - near),
    };
    Ok(clamp.with_source(source)?.with_rounding(Rounding::NearestEven).with_affine(scale, bias)?)
}
