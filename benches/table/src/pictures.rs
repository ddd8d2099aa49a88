//! Rows for pictures, conversions and channels: pixels to planes and back, other dtypes, a clamp for each channel.

use anyhow::Result;
use half::f16;
use wgpu_clamp::{Clamp, DType, Element, Layout, Precision, Rounding};

use crate::case::{Against, Case};
use crate::data;
use crate::row::Goal::{Report, Speed};
use crate::row::{Goal, Row};

/// Mean and deviation of each component, as networks trained on `ImageNet` expect.
const MEAN: [f32; 3] = [0.485, 0.456, 0.406];
const DEVIATION: [f32; 3] = [0.229, 0.224, 0.225];

/// All rows of this file, of tensors of `bytes` bytes.
pub fn rows(bytes: usize) -> Result<Vec<Row>> {
    let groups = [shuffles, converted, pitched, contiguous, channels];
    let groups = groups.map(|group| group(bytes)).into_iter().collect::<Result<Vec<_>>>()?;
    Ok(groups.into_iter().flatten().collect())
}

/// Source and destination of the shape `[taken, pixels]`, from pixels to planes or back. Each pixel has `components`
/// elements, and its first `taken` elements take part. The first pixel begins at element `lead`.
fn layouts(
    taken: usize,
    pixels: usize,
    components: usize,
    lead: usize,
    to_planes: bool,
) -> Result<[Layout; 2]> {
    let shape = [taken, pixels];
    let interleaved = Layout::strided(&shape, &[1, components.cast_signed()], lead)?;
    let planes = Layout::packed(&shape)?;
    Ok(if to_planes { [interleaved, planes] } else { [planes, interleaved] })
}

/// The size of a picture of about `pixels` pixels whose sides are multiples of 64.
fn even(pixels: usize) -> usize {
    let width = (pixels.isqrt() / 64 * 64).max(64);
    width * (pixels / width / 64 * 64).max(64)
}

/// The size of a picture of about `pixels` pixels whose sides are odd.
fn odd(pixels: usize) -> usize {
    let width = (pixels.isqrt() - 1) | 1;
    width * ((pixels / width - 1) | 1)
}

/// Two rows: the case against a copy, and against a plain kernel.
fn both(case: &Case, name: &str, goal: Goal) -> [Row; 2] {
    let plain = Case { rival: Against::Plain, ..*case };
    [
        case.row("pictures", name, [Report, goal]),
        plain.row("pictures, against a plain kernel", name, [Speed(1.0); 2]),
    ]
}

/// Rows from pixels to planes and back, of one dtype.
fn shuffles(bytes: usize) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (dtype, [aligned, planes_off, both_off]) in
        [(DType::U8, [0.85, 0.65, 0.55]), (DType::F16, [0.80, 0.65, 0.55]), (DType::F32, [0.90, 0.75, 0.65])]
    {
        let elements = bytes / dtype.size();
        for (components, pixels, lead, suffix, goal) in [
            (2, even(elements / 2), 0, "", aligned),
            (3, even(elements / 3), 0, "", aligned),
            (4, even(elements / 4), 0, "", aligned),
            (3, odd(elements / 3), 0, ", planes off packets", planes_off),
            (3, odd(elements / 3), 1, ", planes and pixels off packets", both_off),
        ] {
            for (to_planes, way) in [(true, "interleaved to planar"), (false, "planar to interleaved")] {
                let [src, dst] = layouts(components, pixels, components, lead, to_planes)?;
                let name = format!("{way}, {components} channels{suffix}");
                rows.extend(both(&Case::new(data::bounds(dtype), src, dst), &name, Speed(goal)));
            }
        }
    }
    Ok(rows)
}

/// One clamp per component: from bytes to a network's normalized input.
fn normalized<T: Element>(min: T, max: T) -> Result<Vec<Clamp>> {
    let clamp = Clamp::new(min, max).with_source(DType::U8)?;
    let channel =
        |(mean, deviation): (f32, f32)| Ok(clamp.with_affine(1.0 / (255.0 * deviation), -mean / deviation)?);
    MEAN.into_iter().zip(DEVIATION).map(channel).collect()
}

/// One clamp per component: the inverse of [`normalized`].
fn denormalized() -> Result<Vec<Clamp>> {
    let clamp = Clamp::new(0_u8, 255).with_source(DType::F32)?.with_rounding(Rounding::NearestEven);
    let channel = |(mean, deviation): (f32, f32)| Ok(clamp.with_affine(255.0 * deviation, 255.0 * mean)?);
    MEAN.into_iter().zip(DEVIATION).map(channel).collect()
}

/// Rows from pixels of bytes to planes and back; most planes are of floats.
fn converted(bytes: usize) -> Result<Vec<Row>> {
    let floats = || normalized(-2.0_f32, 2.2);
    let halves = || normalized(f16::from_f32(-2.0), f16::from_f32(2.2));
    let mut rows = Vec::new();
    for (name, clamps, to_planes, components, goal) in [
        ("RGB U8 to F32 planes, scale, bias, clamp", floats()?, true, 3, Speed(0.80)),
        ("RGBA U8 to F32 planes without alpha, scale, bias, clamp", floats()?, true, 4, Speed(0.85)),
        ("RGB U8 to F16 planes, scale, bias, clamp", halves()?, true, 3, Speed(0.55)),
        ("F32 planes to RGB U8, scale, bias, nearest even, clamp", denormalized()?, false, 3, Speed(0.70)),
        ("U8 planes into RGBA, alpha left alone", vec![data::bounds(DType::U8); 3], false, 4, Report),
    ] {
        let pixels = even(elements(bytes, clamps[0]) / 3);
        let [src, dst] = layouts(3, pixels, components, 0, to_planes)?;
        // Words of the source also hold the components that take no part.
        let loaded = if to_planes { pixels * components } else { pixels * 3 };
        // The components that stay are loaded and stored again.
        let stored = if !to_planes && components > 3 { 2 * pixels * components } else { pixels * 3 };
        let case = Case { loaded, stored, ..Case::along(0, &clamps, src, dst) };
        rows.extend(both(&case, name, goal));
    }
    Ok(rows)
}

/// The number of elements for which source and destination together have `2 * bytes` bytes, as in a copy of `bytes`
/// bytes.
const fn elements(bytes: usize, clamp: Clamp) -> usize {
    2 * bytes / (clamp.source().size() + clamp.dtype().size())
}

/// Rows for pictures whose rows of pixels have a gap behind them.
fn pitched(bytes: usize) -> Result<Vec<Row>> {
    // The layout of a texture copied to a buffer: rows of 4,000 bytes begin at multiples of 256.
    let halves = normalized(f16::from_f32(-2.0), f16::from_f32(2.2))?;
    let width = 1000;
    let height = elements(bytes, halves[0]) / 3 / width;
    let src = Layout::strided(&[3, height, width], &[1, 4096, 4], 0)?;
    let dst = Layout::packed(&[3, height, width])?;
    let texture = Case { loaded: height * width * 4, ..Case::along(0, &halves, src, dst) };
    // A part of a larger picture, at an odd offset.
    let floats = normalized(-2.0_f32, 2.2)?;
    let height = elements(bytes, floats[0]) / 3 / width;
    let src =
        Layout::packed(&[height + 9, width + 37, 3])?.slice(0, 5..height + 5)?.slice(1, 11..width + 11)?;
    let dst = Layout::packed(&[3, height, width])?;
    let crop = Case::along(0, &floats, src.permute(&[2, 0, 1])?, dst);
    let goals = [Report; 2];
    Ok(vec![
        texture.row("pictures", "RGBA U8, rows with a 256-byte pitch, to F16 planes without alpha", goals),
        crop.row("pictures", "a part of RGB U8 to F32 planes", goals),
    ])
}

/// Rows for conversions between two dtypes, without gaps.
fn contiguous(bytes: usize) -> Result<Vec<Row>> {
    let plain = |source, dtype| data::bounds(dtype).with_source(source);
    let unit = Clamp::new(-0.4_f32, 0.4);
    let bytes_to_floats = unit.with_source(DType::U8)?.with_affine(1.0 / 255.0, -0.5)?;
    let words_to_floats = unit.with_source(DType::U16)?.with_affine(1.0 / 65_535.0, -0.5)?;
    let halves = Clamp::new(f16::from_f32(-0.4), f16::from_f32(0.4));
    let bytes_to_halves = halves.with_source(DType::U8)?.with_affine(1.0 / 255.0, -0.5)?;
    let floats_to_bytes = Clamp::new(5_u8, 250).with_source(DType::F32)?.with_affine(17.3, 128.0)?;
    let floats_to_integers = Clamp::new(-100_i8, 100).with_source(DType::F32)?.with_affine(15.7, 0.5)?;
    let exact = bytes_to_floats.with_precision(Precision::Exact);
    let mut rows = Vec::new();
    for (name, clamp, goal) in [
        ("U8 to F32, scale, bias, clamp", bytes_to_floats, Speed(0.80)),
        ("U8 to F32, the same, Exact", exact, Report),
        ("F32 to U8, scale, bias, clamp", floats_to_bytes, Speed(0.75)),
        ("F32 to I8, scale, bias, clamp", floats_to_integers, Speed(0.70)),
        ("F32 to F16, clamp", plain(DType::F32, DType::F16)?, Speed(0.80)),
        ("F16 to F32, clamp", plain(DType::F16, DType::F32)?, Speed(0.90)),
        ("F32 to BF16, clamp", plain(DType::F32, DType::BF16)?, Report),
        ("U8 to F16, scale, bias, clamp", bytes_to_halves, Report),
        ("U16 to F32, scale, bias, clamp", words_to_floats, Report),
    ] {
        let layout = Layout::packed(&[elements(bytes, clamp)])?;
        rows.push(Case::new(clamp, layout, layout).row("conversions", name, [Report, goal]));
    }
    Ok(rows)
}

/// Rows with a scale, a bias and bounds for each channel.
fn channels(bytes: usize) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (dtype, count, planes, goal) in [
        (DType::F32, 3, true, Speed(0.75)),
        (DType::F32, 64, true, Speed(0.75)),
        (DType::F32, 3, false, Speed(0.80)),
        (DType::F32, 5, false, Speed(0.65)),
        (DType::F32, 17, false, Speed(0.65)),
        (DType::F32, 300, false, Speed(0.65)),
        (DType::U8, 3, false, Report),
    ] {
        let side = (bytes / dtype.size() / count / 8).isqrt() / 4 * 4;
        // Not a power of two, for the reason given in `strided.rs`.
        let side = if side.is_power_of_two() { side.saturating_sub(4) } else { side }.max(4);
        let (axis, shape, order) =
            if planes { (1, [8, count, side, side], "NCHW") } else { (3, [8, side, side, count], "NHWC") };
        let layout = Layout::packed(&shape)?;
        let clamps = (0..count).map(|channel| of_channel(dtype, channel)).collect::<Result<Vec<_>>>()?;
        let name = format!("{order}, {count} channels, scale, bias, clamp");
        rows.push(Case::along(axis, &clamps, layout, layout).row("channels", name, [Report, goal]));
    }
    Ok(rows)
}

/// A clamp whose numbers differ from channel to channel.
fn of_channel(dtype: DType, channel: usize) -> Result<Clamp> {
    let n = f32::from(channel as u16);
    let clamp = match dtype {
        DType::F32 => {
            Clamp::new(-4.1 - n / 64.0, 3.9 + n / 128.0).with_affine(1.7 + n / 100.0, n / 50.0 - 0.3)
        }
        _ => Clamp::new(61 + channel as u8, 197 - channel as u8).with_affine(1.5 + n / 8.0, -20.0 - n),
    };
    Ok(clamp?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_and_odd_sizes_are_close_to_the_pixels_asked_for() {
        for pixels in [5000, 1 << 20, 5_592_405, 89_478_485] {
            assert!(even(pixels).is_multiple_of(64 * 64) && even(pixels) <= pixels);
            assert!(odd(pixels) % 2 == 1 && odd(pixels) <= pixels);
            assert!(pixels < 1 << 20 || even(pixels) * 10 > pixels * 8);
            assert!(pixels < 1 << 20 || odd(pixels) * 10 > pixels * 9);
        }
    }

    #[test]
    fn no_two_channels_are_alike() {
        for (dtype, count) in [(DType::F32, 300), (DType::U8, 3)] {
            let clamps: Vec<_> = (0..count).map(|channel| of_channel(dtype, channel).unwrap()).collect();
            assert!(clamps.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }

    #[test]
    fn no_converted_tensor_exceeds_1_6_times_the_bytes() {
        let bytes = 16 << 20;
        for clamps in [normalized(-2.0_f32, 2.2).unwrap(), denormalized().unwrap()] {
            let larger = clamps[0].source().size().max(clamps[0].dtype().size());
            assert!(elements(bytes, clamps[0]) * larger * 10 <= bytes * 16);
        }
    }
}
