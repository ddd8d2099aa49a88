//! Reads `data/cases.txt`, the one list of cases: layouts, dtypes, clamps, and where the numbers lie.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use clamp_testing::values::quantization;
use wgpu_clamp::{Clamp, DType, Layout, Number, Precision, Rounding, Scalar};

use crate::case::{Case, Goals};
use crate::data::bounds;
use crate::kernels::Kind;

/// The dtypes of source and destination.
type Pair = [DType; 2];

/// Sizes by their names in the list.
type Sizes = HashMap<&'static str, usize>;

/// The section of layouts that users bring.
pub const LAYOUTS: &str = "layouts";

/// What `pairs` means: single dtypes, and the conversions of pictures and networks in both directions.
const PAIRS: &str = "u8 u8>f16 u8>f32 f32>u8 f32>i8 f16 f32 i32";

/// The cases of tensors of about `bytes` bytes, or of so many `elements`; of fewer where a tensor would take more than
/// `most` bytes.
pub fn cases(bytes: usize, elements: Option<usize>, most: u64) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let list =
        include_str!("../data/cases.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in list {
        let columns: Vec<_> = line.split('|').map(str::trim).collect();
        let columns = columns.try_into().ok().with_context(|| format!("eight columns are needed: {line}"))?;
        let [_, _, counts, dtypes, ..]: [&str; 8] = columns;
        let counts = if counts.is_empty() { "1" } else { counts };
        for count in counts.split(' ') {
            for pair in pairs(dtypes)? {
                // As in a copy of `bytes` bytes.
                let elements = elements.unwrap_or(2 * bytes / (pair[0].size() + pair[1].size()));
                let of =
                    |elements| case(&columns, pair, &sizes(bytes, elements, count.parse()?, pair[1].size()));
                let mut case = of(elements).with_context(|| line.to_owned())?;
                let needed = case.src.required_bytes(pair[0]).max(case.dst.required_bytes(pair[1]));
                if needed > most {
                    // 15/16, because a crop's source has a few rows and columns more than its destination.
                    let fewer = elements as u128 * u128::from(most) * 15 / 16 / u128::from(needed);
                    case = of(fewer as usize)?;
                }
                cases.push(case);
            }
        }
    }
    Ok(cases)
}

fn pairs(dtypes: &str) -> Result<Vec<Pair>> {
    if dtypes == "all" {
        return Ok(DType::ALL.iter().map(|&dtype| [dtype; 2]).collect());
    }
    let dtype = |name: &str| {
        let known = DType::ALL.iter().copied().find(|dtype| dtype.name() == name);
        known.with_context(|| format!("{name} is no dtype"))
    };
    let pair = |pair: &str| {
        let (source, destination) = pair.split_once('>').unwrap_or((pair, pair));
        Ok([dtype(source)?, dtype(destination)?])
    };
    (if dtypes == "pairs" { PAIRS } else { dtypes }).split(' ').map(pair).collect()
}

/// Sizes for tensors of `n` elements, or of `bytes` bytes, with elements of `size` bytes in `c` channels.
fn sizes(bytes: usize, n: usize, c: usize, size: usize) -> Sizes {
    let root = (n / c).isqrt();
    // Rows a power of two apart would share one set of a cache.
    let off_powers = |side: usize, step: usize| {
        if side.is_power_of_two() { side.saturating_sub(step) } else { side }.max(step)
    };
    let w = off_powers((root / 64 * 64).max(64), 64);
    let short = (n.isqrt() / 16 * 16).saturating_sub(48).max(16);
    let even = (root / 64 * 64).max(64);
    let odd = (root.max(2) - 1) | 1;
    // The inner six of the outer seven of eight dimensions.
    let d = if n < 8_usize.pow(8) { 4 } else { 8 };
    Sizes::from([
        ("bytes", bytes),
        ("n", n),
        ("c", c),
        ("size", size),
        // A picture. Its width is a multiple of 64.
        ("w", w),
        ("h", (n / c / w).max(1)),
        // Pixels of pictures whose sides are multiples of 64, or odd.
        ("even", even * (n / c / even / 64 * 64).max(64)),
        ("odd", odd * (((n / c / odd).max(2) - 1) | 1)),
        // The sides of 8 square pictures, and of a matrix that is no square.
        ("side", off_powers((n / c / 8).isqrt() / 4 * 4, 4)),
        ("short", short),
        ("long", n / short / 16 * 16),
        ("matrices", (n / (2304 * 1024)).max(1)),
        ("d", d),
        ("d0", n / (8 * d.pow(6))),
    ])
}

/// The case of a line for a pair of dtypes.
fn case(columns: &[&str; 8], pair: Pair, sizes: &Sizes) -> Result<Case> {
    let [section, name, _, _, clamps, src, dst, ratios] = columns;
    let name = name.replace("{c}", &sizes["c"].to_string());
    let change = |case: &mut Case, change: fn(Clamp) -> Clamp| {
        case.clamps.iter_mut().for_each(|clamp| *clamp = change(*clamp));
    };
    let mut words = clamps.split(' ');
    let kind = words.next().unwrap_or_default();
    let layouts = [layout(src, sizes)?, layout(dst, sizes)?];
    let mut case = Case { goals: goals(ratios)?, ..Case::new(section, name, clamp(kind, pair, 0)?, layouts) };
    while let Some(word) = words.next() {
        let mut argument = || words.next().with_context(|| format!("`{word}` takes an argument"));
        match word {
            "exact" => change(&mut case, |clamp| clamp.with_precision(Precision::Exact)),
            "truncated" => change(&mut case, |clamp| clamp.with_rounding(Rounding::TowardZero)),
            "along" => {
                let axis = argument()?.parse()?;
                case.axis = Some(axis);
                let channels = 0..case.dst.shape()[axis];
                case.clamps = channels.map(|channel| clamp(kind, pair, channel)).collect::<Result<_>>()?;
            }
            "gpu" => case.slots = Some(case.clamp().with_affine(Number::OnGpu, Number::OnGpu)?),
            "in-place" => case.in_place = true,
            "fill" => case.packets = Kind::Fill,
            "moves" => case.moved = numbers(argument()?, sizes)?.try_into().ok(),
            _ => bail!("`{word}` is not known"),
        }
    }
    Ok(case)
}

/// Two least ratios, each a number or a dash.
fn goals(ratios: &str) -> Result<Goals> {
    let goal = |ratio: &str| if ratio == "-" { Ok(None) } else { ratio.parse().map(Some) };
    let goals = ratios.split(' ').map(goal).collect::<Result<Vec<_>, _>>()?;
    goals.try_into().ok().context("two ratios are needed")
}

/// A sum of products of quotients of numbers and sizes.
fn number(text: &str, sizes: &Sizes) -> Result<usize> {
    let size = |name: &str| {
        let size = sizes.get(name).copied().or_else(|| name.parse().ok());
        size.with_context(|| format!("`{name}` is neither a number nor a size"))
    };
    let quotient = |text: &str| match text.split_once('/') {
        Some((x, y)) => Ok(size(x)? / size(y)?),
        None => size(text),
    };
    text.split('+').map(|sum| sum.split('*').map(quotient).product::<Result<usize>>()).sum()
}

fn numbers(text: &str, sizes: &Sizes) -> Result<Vec<usize>> {
    text.split(',').map(|text| number(text, sizes)).collect()
}

/// A packed layout, such as `[h,w,3] permute 2,0,1`, and what is done to it.
fn layout(text: &str, sizes: &Sizes) -> Result<Layout> {
    let shape = text.strip_prefix('[').and_then(|text| text.split_once(']'));
    let (shape, words) = shape.with_context(|| format!("`{text}` has no shape"))?;
    let mut layout = Layout::packed(&numbers(shape, sizes)?)?;
    for step in words.split_whitespace().collect::<Vec<_>>().chunks(2) {
        let [word, argument] = step else { bail!("`{text}` ends too early") };
        layout = match *word {
            "permute" => layout.permute(&numbers(argument, sizes)?)?,
            "flip" => layout.flip(number(argument, sizes)?)?,
            "step" => layout.step(number(argument, sizes)?, 2)?,
            "broadcast" => layout.broadcast_to(&numbers(argument, sizes)?)?,
            "shift" => Layout::strided(layout.shape(), layout.strides(), number(argument, sizes)?)?,
            "cut" => {
                for (axis, part) in argument.split(',').enumerate() {
                    let (start, len) = part.split_once(':').unwrap_or(("0", part));
                    let (start, len) = (number(start, sizes)?, number(len, sizes)?);
                    layout = layout.slice(axis, start..start + len)?;
                }
                layout
            }
            _ => bail!("`{word}` is not known"),
        };
    }
    Ok(layout)
}

/// A clamp of a kind: for all elements, or for a channel.
fn clamp(kind: &str, [source, dtype]: Pair, channel: usize) -> Result<Clamp> {
    let n = f32::from(channel as u16);
    if kind == "linear" {
        // Floats up to 8 to all of the integers, and back.
        let scale = 8.0 / 127.0 * (1.0 + n / 1e4);
        let quantized = if source.is_float() { dtype } else { source };
        let zero_point = if quantized.is_signed_integer() { -3 } else { 125 };
        return Ok(quantization(source, dtype, scale, zero_point)?);
    }
    let is_to_float = dtype.is_float();
    let (clamp, scale, bias) = match kind {
        "bounds" => (bounds(dtype), None, 0.0),
        "affine" if is_to_float => (bounds(dtype), Some(1.7), -0.3),
        "affine" => (bounds(dtype), Some(1.5), -20.0),
        // From accumulators up to a million, or floats up to 8, to about ±127.
        "quantise" => {
            let most = if source.is_float() { 8.0 } else { 1e6 };
            (Clamp::unbounded(dtype), Some(127.0 / (most * (1.0 + n / 1e4))), 0.25)
        }
        // Every second scale is negative.
        "signed" => {
            let near = f32::from(channel as u16 % 97) / 128.0;
            let scale = if channel.is_multiple_of(2) { 1.7 + near } else { -1.7 - near };
            (between(dtype, 0.3, 3.9)?, Some(scale), -0.3 - near)
        }
        // Scales spread evenly over their exponents, or all but one alike.
        "requantise" => {
            let exponent = (n * 0.618_034).fract();
            (Clamp::unbounded(dtype), Some(10_f32.powf(-5.0 * exponent)), 0.25)
        }
        "tiny" => {
            let scale = if channel == 500 { 1e-6 } else { 0.01 * (1.0 + n / 1e4) };
            (Clamp::unbounded(dtype), Some(scale), 0.25)
        }
        // Bounds that replace some of the elements. The numbers repeat every 97 channels.
        "users" => {
            let n = f32::from(channel as u16 % 97);
            let near = n / 128.0;
            let [scale, bias] = match (source, dtype) {
                // Maps bytes to about −5 to 5.
                (DType::U8, DType::F16 | DType::F32) => [0.04 + near / 100.0, -5.0 - near],
                (DType::U8, _) => [1.5 + near, -20.0 - n],
                // The source has floats from −8 to 8.
                (_, DType::U8) => [17.3 + near, 128.0 - near],
                (_, DType::I8) => [15.7 + near, 0.5 + near],
                _ => [1.7 + near, -0.3 - near],
            };
            let clamp = match dtype {
                DType::U8 => between(dtype, 5.0 + n / 8.0, 250.0 - n / 8.0),
                DType::I8 => between(dtype, -100.0 + n / 8.0, 100.0 - n / 8.0),
                DType::I32 => between(dtype, -1e9 - 128.0 * n, 1e9 + 128.0 * n),
                _ => between(dtype, -4.1 - near, 3.9 + near),
            };
            (clamp?, Some(scale), bias)
        }
        _ => bail!("`{kind}` is not a kind of clamp"),
    };
    let clamp = if source == dtype { clamp } else { clamp.with_source(source)? };
    let to_nearest = ["quantise", "requantise", "tiny", "users"].contains(&kind);
    let clamp = if to_nearest { clamp.with_rounding(Rounding::NearestEven) } else { clamp };
    Ok(scale.map_or(Ok(clamp), |scale| clamp.with_affine(scale, bias))?)
}

/// A clamp with bounds that are rounded for a float dtype, truncated for an integer.
fn between(dtype: DType, min: f32, max: f32) -> Result<Clamp> {
    let bound =
        |bound: f32| Scalar::from_f64(dtype, if dtype.is_float() { bound } else { bound.trunc() }.into());
    Ok(Clamp::unbounded(dtype).with_bounds(bound(min)?, bound(max)?)?)
}
