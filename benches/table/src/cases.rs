//! The cases of the table: layouts, dtypes, clamps, and where the numbers lie. `layouts.rs` has those that users bring.

use anyhow::Result;
use half::f16;
use wgpu_clamp::{Clamp, DType, Element, Error, Layout, Precision, Rounding};

use crate::case::{Against, Case};
use crate::data::bounds;
use crate::row::Goals;

/// One dtype of each width.
const WIDTHS: [DType; 4] = [DType::U8, DType::F16, DType::F32, DType::F64];

/// All cases, of tensors of about `bytes` bytes, in the order of the table.
pub fn table(bytes: usize) -> Result<Vec<Case>> {
    let groups = [
        contiguous,
        scale_and_bias,
        pitches,
        broadcasts,
        permutations,
        eight_dimensions,
        gaps,
        shuffles,
        pictures,
        conversions,
        channels,
        quantised,
    ];
    let groups = groups.map(|group| group(bytes)).into_iter().collect::<Result<Vec<_>>>()?;
    Ok(groups.into_iter().flatten().collect())
}

/// A goal for software drivers alone.
const fn on_cpu(least: f64) -> Goals {
    [None, Some(least)]
}

/// Bounds of one dtype.
fn case(section: &str, name: &str, dtype: DType, layouts: [Layout; 2], goals: Goals) -> Case {
    Case { goals, ..Case::new(section, name, bounds(dtype), layouts) }
}

/// The number of elements for which source and destination together have `2 * bytes` bytes, as in a copy of `bytes`
/// bytes.
const fn elements(bytes: usize, clamp: &Clamp) -> usize {
    2 * bytes / (clamp.source().size() + clamp.dtype().size())
}

/// Every dtype without gaps, in two buffers and in place.
fn contiguous(bytes: usize) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for dtype in DType::ALL {
        let least = if matches!(dtype, DType::F16 | DType::BF16) { 0.80 } else { 0.90 };
        let layout = Layout::packed(&[bytes / dtype.size()])?;
        for (name, in_place) in [("clamp", false), ("clamp, in place", true)] {
            let case = case("contiguous", name, dtype, [layout; 2], [Some(0.95), Some(least)]);
            cases.push(Case { in_place, ..case });
        }
    }
    Ok(cases)
}

/// An ordinary scale and bias, in both precisions.
fn scale_and_bias(bytes: usize) -> Result<Vec<Case>> {
    let stepped = |dtype: DType, name, precision, goals| -> Result<Case> {
        let (scale, bias) = if dtype.is_float() { (1.7, -0.3) } else { (1.5, -20.0) };
        let clamp = bounds(dtype).with_affine(scale, bias)?.with_precision(precision);
        let layout = Layout::packed(&[bytes / dtype.size()])?;
        Ok(Case { goals, ..Case::new("scale and bias", name, clamp, [layout; 2]) })
    };
    let mut cases = Vec::new();
    for dtype in DType::ALL {
        let goals = match dtype {
            DType::F32 | DType::F64 => [Some(0.95), Some(0.85)],
            DType::BF16 => [Some(0.90), Some(0.65)],
            DType::F16 => [Some(0.90), Some(0.40)],
            DType::I8 | DType::U8 => [Some(0.75), Some(0.55)],
            DType::I16 | DType::U16 => on_cpu(0.40),
            DType::I32 | DType::U32 => on_cpu(0.58),
            DType::I64 | DType::U64 => on_cpu(0.45),
        };
        cases.push(stepped(dtype, "scale, bias, clamp", Precision::Fast, goals)?);
    }
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_float()) {
        let goals = if dtype == DType::F32 { on_cpu(0.45) } else { [None; 2] };
        cases.push(stepped(dtype, "the same, Exact", Precision::Exact, goals)?);
    }
    Ok(cases)
}

/// Rows of 4,000 bytes: many packets, and not a power of two.
fn pitches(bytes: usize) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for dtype in WIDTHS {
        let (size, columns) = (dtype.size(), 4000 / dtype.size());
        for (name, gaps, goals) in [
            ("pitch of 16-byte steps", [96 / size, 32 / size], [Some(0.90), Some(0.80)]),
            ("odd pitch to packed", [3, 0], [Some(0.80), Some(0.60)]),
            ("odd pitch to odd pitch", [3, 1], [Some(0.80), Some(0.60)]),
        ] {
            let strides = gaps.map(|gap| [(columns + gap).cast_signed(), 1]);
            let rows = |side: usize| Layout::strided(&[bytes / 4000, columns], &strides[side], 0);
            cases.push(case("rows", name, dtype, [rows(0)?, rows(1)?], goals));
        }
    }
    Ok(cases)
}

fn broadcasts(bytes: usize) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for dtype in WIDTHS {
        let shape = [bytes / 4096, 4096 / dtype.size()];
        for (name, from) in [
            ("a column to all columns", [shape[0], 1]),
            ("a row to all rows", [1, shape[1]]),
            ("one element to all", [1, 1]),
        ] {
            let layouts = [Layout::packed(&from)?.broadcast_to(&shape)?, Layout::packed(&shape)?];
            let goals = [Some(0.95), Some(0.90)];
            let case = case("broadcast, against a fill", name, dtype, layouts, goals);
            cases.push(Case { against: Against::Fill, ..case });
        }
    }
    Ok(cases)
}

/// A side of a square, not a power of two: rows that far apart would share one set of a cache.
const fn side(side: usize) -> usize {
    let side = side / 4 * 4;
    if side.is_power_of_two() && side > 4 { side - 4 } else { side }
}

/// From permuted dimensions to packed ones.
fn permuted(shape: &[usize], order: &[usize]) -> Result<[Layout; 2], Error> {
    let src = Layout::packed(shape)?.permute(order)?;
    Ok([src, Layout::packed(src.shape())?])
}

/// Source and destination with different innermost dimensions.
fn permutations(bytes: usize) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for dtype in [DType::F32, DType::F16, DType::U8, DType::F64] {
        let goals = match dtype {
            DType::F32 => [Some(0.75), Some(0.45)],
            DType::F16 => [Some(0.75), Some(0.38)],
            DType::U8 => [Some(0.60), Some(0.20)],
            _ => [None; 2],
        };
        let elements = bytes / dtype.size();
        // Not a square, and not a power of two.
        let rows = (elements.isqrt() / 16 * 16).saturating_sub(48).max(16);
        let layouts = permuted(&[rows, elements / rows / 16 * 16], &[1, 0])?;
        cases.push(case("permutations", "transpose", dtype, layouts, goals));
        for (channels, goals) in [(64, goals), (3, [None; 2])] {
            let side = side((elements / channels / 8).isqrt()).max(4);
            for (way, shape, order) in [
                ("NCHW to NHWC", [8, channels, side, side], [0, 2, 3, 1]),
                ("NHWC to NCHW", [8, side, side, channels], [0, 3, 1, 2]),
            ] {
                let name = format!("{way}, {channels} channels");
                cases.push(case("permutations", &name, dtype, permuted(&shape, &order)?, goals));
            }
        }
    }
    Ok(cases)
}

/// Eight dimensions, none of which merge. The innermost one has 8 adjacent elements.
fn eight_dimensions(bytes: usize) -> Result<Vec<Case>> {
    let goals = [Some(0.50), Some(0.70)];
    let mut cases = Vec::new();
    for dtype in [DType::F32, DType::U8] {
        let elements = bytes / dtype.size();
        let mut shape = [8; 8];
        shape[0] = (elements / 8_usize.pow(7)).max(1);
        // For small tensors, the outer extents are halved in turn, down to 2.
        for axis in (0..7).cycle() {
            if shape.iter().product::<usize>() <= elements {
                break;
            }
            shape[axis] = (shape[axis] / 2).max(2);
        }
        let mut add =
            |name, layouts, goals| cases.push(case("eight dimensions", name, dtype, layouts, goals));
        add("the outer seven reversed", permuted(&shape, &[6, 5, 4, 3, 2, 1, 0, 7])?, goals);
        // A gap after every second dimension, as long as one step of it: not the same on both sides.
        let gapped = |phase: usize| {
            let mut strides = [1; 8];
            for axis in (0..7).rev() {
                let span = strides[axis + 1] * shape[axis + 1].cast_signed();
                strides[axis] = if axis % 2 == phase { span + strides[axis + 1] } else { span };
            }
            Layout::strided(&shape, &strides, 0)
        };
        add("a gap after each", [gapped(0)?, gapped(1)?], goals);
        // Two dimensions, to show what short rows of 8 elements cost by themselves.
        let rows = shape[..7].iter().product();
        let half = Layout::packed(&[rows, 16])?.slice(1, 0..8)?;
        add("two, with rows as short", [half, Layout::packed(&[rows, 8])?], [None; 2]);
    }
    Ok(cases)
}

/// Outputs that leave some bytes of a word alone. With their gaps they span `bytes`.
fn gaps(bytes: usize) -> Result<Vec<Case>> {
    let (pixels, halves) = ([bytes / 4, 3], [bytes / 4]);
    let pixels = [Layout::packed(&pixels)?, Layout::strided(&pixels, &[4, 1], 0)?];
    let halves = [Layout::packed(&halves)?, Layout::strided(&halves, &[2], 0)?];
    Ok(vec![
        case("gaps in words", "3 bytes of 4", DType::U8, pixels, on_cpu(0.30)),
        case("gaps in words", "every second u16", DType::U16, halves, on_cpu(0.30)),
    ])
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

/// Source and destination of the shape `[taken, pixels]`, from pixels to planes or back. Each pixel has `components`
/// elements, and its first `taken` elements take part. The first pixel begins at element `lead`.
fn picture(to_planes: bool, pixels: usize, [taken, components, lead]: [usize; 3]) -> Result<[Layout; 2]> {
    let shape = [taken, pixels];
    let interleaved = Layout::strided(&shape, &[1, components.cast_signed()], lead)?;
    let planes = Layout::packed(&shape)?;
    Ok(if to_planes { [interleaved, planes] } else { [planes, interleaved] })
}

/// From pixels to planes and back, of one dtype.
fn shuffles(bytes: usize) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (dtype, [aligned, planes_off, both_off]) in
        [(DType::U8, [0.85, 0.65, 0.55]), (DType::F16, [0.80, 0.65, 0.55]), (DType::F32, [0.90, 0.75, 0.65])]
    {
        let pixels = |components: usize| bytes / dtype.size() / components;
        for (components, pixels, lead, suffix, least) in [
            (2, even(pixels(2)), 0, "", aligned),
            (3, even(pixels(3)), 0, "", aligned),
            (4, even(pixels(4)), 0, "", aligned),
            (3, odd(pixels(3)), 0, ", planes off packets", planes_off),
            (3, odd(pixels(3)), 1, ", planes and pixels off packets", both_off),
        ] {
            for (way, to_planes) in [("interleaved to planar", true), ("planar to interleaved", false)] {
                let layouts = picture(to_planes, pixels, [components, components, lead])?;
                let name = format!("{way}, {components} channels{suffix}");
                cases.push(case("pictures", &name, dtype, layouts, on_cpu(least)));
            }
        }
    }
    Ok(cases)
}

/// Mean and deviation of each component, as networks trained on `ImageNet` expect.
const NORMAL: [[f32; 2]; 3] = [[0.485, 0.229], [0.456, 0.224], [0.406, 0.225]];

/// A component's clamp from bytes to a network's normalized input.
fn normalized<T: Element>(min: T, max: T) -> impl Fn(usize) -> Result<Clamp> {
    move |channel| {
        let [mean, deviation] = NORMAL[channel];
        let clamp = Clamp::new(min, max).with_source(DType::U8)?;
        Ok(clamp.with_affine(1.0 / (255.0 * deviation), -mean / deviation)?)
    }
}

/// The inverse of [`normalized`].
fn denormalized(channel: usize) -> Result<Clamp> {
    let [mean, deviation] = NORMAL[channel];
    let clamp = Clamp::new(0_u8, 255).with_source(DType::F32)?.with_rounding(Rounding::NearestEven);
    Ok(clamp.with_affine(255.0 * deviation, 255.0 * mean)?)
}

/// From pixels of bytes to planes of another dtype and back.
fn pictures(bytes: usize) -> Result<Vec<Case>> {
    let floats = normalized(-2.0_f32, 2.2);
    let halves = normalized(f16::from_f32(-2.0), f16::from_f32(2.2));
    let same = |_| Ok(bounds(DType::U8));
    let mut cases = Vec::new();
    let rows: [(_, &dyn Fn(usize) -> Result<Clamp>, _, _, _); 5] = [
        ("RGB U8 to F32 planes, scale, bias, clamp", &floats, true, 3, on_cpu(0.80)),
        ("RGBA U8 to F32 planes without alpha, scale, bias, clamp", &floats, true, 4, on_cpu(0.85)),
        ("RGB U8 to F16 planes, scale, bias, clamp", &halves, true, 3, on_cpu(0.55)),
        ("F32 planes to RGB U8, scale, bias, nearest even, clamp", &denormalized, false, 3, on_cpu(0.70)),
        ("U8 planes into RGBA, alpha left alone", &same, false, 4, [None; 2]),
    ];
    for (name, clamp, to_planes, components, goals) in rows {
        let pixels = even(elements(bytes, &clamp(0)?) / 3);
        let layouts = picture(to_planes, pixels, [3, components, 0])?;
        // Words also hold the components that take no part; those that stay are loaded and stored again.
        let moved = match (to_planes, components) {
            (_, 3) => [3 * pixels; 2],
            (true, _) => [4 * pixels, 3 * pixels],
            (false, _) => [3 * pixels, 2 * 4 * pixels],
        };
        let case = Case::new("pictures", name, clamp(0)?, layouts).along(0, clamp)?;
        cases.push(Case { moved: Some(moved), goals, ..case });
    }
    // The layout of a texture copied to a buffer: rows of 4,000 bytes begin at multiples of 256.
    let (width, height) = (1000, elements(bytes, &halves(0)?) / 3000);
    let (src, dst) = ([3, height, width], Layout::packed(&[3, height, width])?);
    let src = Layout::strided(&src, &[1, 4096, 4], 0)?;
    let name = "RGBA U8, rows with a 256-byte pitch, to F16 planes without alpha";
    let texture = Case::new("pictures", name, halves(0)?, [src, dst]).along(0, &halves)?;
    cases.push(Case { moved: Some([height * width * 4, dst.len()]), ..texture });
    // A part of a larger picture, at an odd offset.
    let height = elements(bytes, &floats(0)?) / 3000;
    let whole = Layout::packed(&[height + 9, width + 37, 3])?;
    let src = whole.slice(0, 5..height + 5)?.slice(1, 11..width + 11)?.permute(&[2, 0, 1])?;
    let layouts = [src, Layout::packed(&[3, height, width])?];
    let part = Case::new("pictures", "a part of RGB U8 to F32 planes", floats(0)?, layouts);
    cases.push(part.along(0, &floats)?);
    Ok(cases)
}

/// Between two dtypes, without gaps.
fn conversions(bytes: usize) -> Result<Vec<Case>> {
    let from = |source, clamp: Clamp, scale, bias| clamp.with_source(source)?.with_affine(scale, bias);
    let plain = |source, dtype| bounds(dtype).with_source(source);
    let unit = Clamp::new(-0.4_f32, 0.4);
    let halves = Clamp::new(f16::from_f32(-0.4), f16::from_f32(0.4));
    let to_floats = from(DType::U8, unit, 1.0 / 255.0, -0.5)?;
    let mut cases = Vec::new();
    for (name, clamp, goals) in [
        ("U8 to F32, scale, bias, clamp", to_floats, on_cpu(0.80)),
        ("U8 to F32, the same, Exact", to_floats.with_precision(Precision::Exact), [None; 2]),
        (
            "F32 to U8, scale, bias, clamp",
            from(DType::F32, Clamp::new(5_u8, 250), 17.3, 128.0)?,
            on_cpu(0.75),
        ),
        (
            "F32 to I8, scale, bias, clamp",
            from(DType::F32, Clamp::new(-100_i8, 100), 15.7, 0.5)?,
            on_cpu(0.70),
        ),
        ("F32 to F16, clamp", plain(DType::F32, DType::F16)?, on_cpu(0.80)),
        ("F16 to F32, clamp", plain(DType::F16, DType::F32)?, on_cpu(0.90)),
        ("F32 to BF16, clamp", plain(DType::F32, DType::BF16)?, [None; 2]),
        ("U8 to F16, scale, bias, clamp", from(DType::U8, halves, 1.0 / 255.0, -0.5)?, [None; 2]),
        ("U16 to F32, scale, bias, clamp", from(DType::U16, unit, 1.0 / 65_535.0, -0.5)?, [None; 2]),
    ] {
        let layout = Layout::packed(&[elements(bytes, &clamp)])?;
        cases.push(Case { goals, ..Case::new("conversions", name, clamp, [layout; 2]) });
    }
    Ok(cases)
}

/// A scale, a bias and bounds for each channel.
fn channels(bytes: usize) -> Result<Vec<Case>> {
    let of_channel = |dtype: DType, channel: usize| {
        let n = f32::from(channel as u16);
        Ok(match dtype {
            DType::F32 => {
                Clamp::new(-4.1 - n / 64.0, 3.9 + n / 128.0).with_affine(1.7 + n / 100.0, n / 50.0 - 0.3)?
            }
            _ => Clamp::new(61 + channel as u8, 197 - channel as u8).with_affine(1.5 + n / 8.0, -20.0 - n)?,
        })
    };
    let mut cases = Vec::new();
    for (dtype, count, has_planes, goals) in [
        (DType::F32, 3, true, on_cpu(0.75)),
        (DType::F32, 64, true, on_cpu(0.75)),
        (DType::F32, 3, false, on_cpu(0.80)),
        (DType::F32, 5, false, on_cpu(0.65)),
        (DType::F32, 17, false, on_cpu(0.65)),
        (DType::F32, 300, false, on_cpu(0.65)),
        (DType::U8, 3, false, [None; 2]),
    ] {
        let side = side((bytes / dtype.size() / count / 8).isqrt()).max(4);
        let (axis, shape, order) = if has_planes {
            (1, [8, count, side, side], "NCHW")
        } else {
            (3, [8, side, side, count], "NHWC")
        };
        let layout = Layout::packed(&shape)?;
        let name = format!("{order}, {count} channels, scale, bias, clamp");
        let case = Case::new("channels", name, of_channel(dtype, 0)?, [layout; 2]);
        cases.push(Case { goals, ..case.along(axis, |channel| of_channel(dtype, channel))? });
    }
    Ok(cases)
}

/// A clamp that scales accumulators up to a million, or floats up to 8, to about ±127. The scale differs by index.
pub fn quantizing(source: DType, dtype: DType, index: usize) -> Result<Clamp> {
    #[expect(clippy::cast_precision_loss, reason = "some thousand")]
    let share = index as f32 / 1e4;
    let most = if source.is_float() { 8.0 } else { 1e6 };
    let scale = 127.0 / (most * (1.0 + share));
    let clamp = Clamp::unbounded(dtype).with_source(source)?.with_affine(scale, 0.25)?;
    Ok(clamp.with_rounding(Rounding::NearestEven))
}

/// Columns of a matrix.
pub const COLUMNS: usize = 1024;

/// From accumulators to elements of the next layer, from activations to 8 bits, from bytes to floats. A matrix of I32 has
/// `bytes` bytes.
fn quantised(bytes: usize) -> Result<Vec<Case>> {
    const SECTION: &str = "quantised";
    let count = bytes / 4 / COLUMNS;
    let matrix = Layout::packed(&[count, COLUMNS])?;
    let on_gpu = |case: &Case, name: String| -> Result<Case> {
        Ok(Case { name, goals: [Some(0.95); 2], ..case.clone().on_gpu()? })
    };
    let mut cases = Vec::new();
    for (source, dtype, along, goals) in [
        (DType::I32, DType::I8, None, on_cpu(0.5)),
        (DType::I32, DType::I8, Some((1, "column")), on_cpu(0.25)),
        (DType::I32, DType::I8, Some((0, "row")), on_cpu(0.45)),
        (DType::I32, DType::F32, Some((1, "column")), on_cpu(0.3)),
        (DType::I32, DType::F16, Some((1, "column")), on_cpu(0.3)),
        (DType::F32, DType::I8, Some((0, "row")), on_cpu(0.6)),
        (DType::F16, DType::I8, Some((0, "row")), on_cpu(0.45)),
    ] {
        let name = along.map_or("one clamp".to_owned(), |(_, each)| format!("a scale per {each}"));
        let name = format!("{source} to {dtype}, {name}");
        let case = Case::new(SECTION, &name, quantizing(source, dtype, 0)?, [matrix; 2]);
        let case = Case { goals, ..case };
        let Some((axis, _)) = along else {
            cases.push(case);
            continue;
        };
        let case = case.along(axis, |index| quantizing(source, dtype, index))?;
        let slots = on_gpu(&case, format!("{name}, on the GPU"))?;
        cases.extend([case, slots]);
    }
    let picture = Layout::packed(&[count, COLUMNS / 3 * 4, 3])?;
    let clamp = |channel: usize| quantizing(DType::U8, DType::F32, channel * 1000);
    let case = Case::new(SECTION, "", clamp(0)?, [picture; 2]).along(2, clamp)?;
    cases.push(on_gpu(&case, "u8 to f32, channels last, a scale per channel, on the GPU".to_owned())?);
    Ok(cases)
}
