//! The layouts and the pairs of dtypes that the sweep measures.

use anyhow::Result;
use half::f16;
use wgpu_clamp::{Clamp, DType, Error, Layout, Rounding};

use crate::case::Case;

/// The dtypes of source and destination.
pub type Pair = [DType; 2];

/// Single dtypes, and the conversions that pictures and networks take, in both directions.
pub const PAIRS: [Pair; 8] = [
    [DType::U8, DType::U8],
    [DType::U8, DType::F16],
    [DType::U8, DType::F32],
    [DType::F32, DType::U8],
    [DType::F32, DType::I8],
    [DType::F16, DType::F16],
    [DType::F32, DType::F32],
    [DType::I32, DType::I32],
];

/// A layout of the sweep.
pub struct Way {
    pub name: String,
    /// Elements of a pixel.
    components: usize,
    /// The axis of the channels, if each component, row or column has a clamp of its own.
    axis: Option<usize>,
    layouts: Layouts,
    goal: Goal,
}

/// Makes source and destination.
type Layouts = fn(&Picture) -> Result<[Layout; 2], Error>;

/// The goal for a number of components.
type Goal = fn(usize, Pair) -> f64;

/// A picture of about as many elements as asked for.
struct Picture {
    elements: usize,
    /// Height, width and components.
    sides: [usize; 3],
    hwc: Layout,
    planes: Layout,
}

impl Picture {
    fn new(elements: usize, components: usize) -> Result<Self, Error> {
        let [h, w] = sides(elements / components);
        let hwc = Layout::packed(&[h, w, components])?;
        let planes = Layout::packed(&[components, h, w])?.permute(&[1, 2, 0])?;
        Ok(Self { elements, sides: [h, w, components], hwc, planes })
    }

    /// The first components of RGBA pixels.
    fn rgba(&self) -> Result<Layout, Error> {
        let [h, w, c] = self.sides;
        Layout::packed(&[h, w, 4])?.slice(2, 0..c)
    }

    /// A part of a larger picture, at an odd offset.
    fn crop(&self) -> Result<Layout, Error> {
        let [h, w, c] = self.sides;
        Layout::packed(&[h + 9, w + 37, c])?.slice(0, 5..h + 5)?.slice(1, 11..w + 11)
    }

    fn every_second_pixel(&self) -> Result<Layout, Error> {
        let [h, w, c] = self.sides;
        Layout::packed(&[h, 2 * w, c])?.step(1, 2)
    }

    fn transposed(&self) -> Result<Layout, Error> {
        let [h, w, c] = self.sides;
        Layout::packed(&[w, h, c])?.permute(&[1, 0, 2])
    }

    fn rotated_planes(&self) -> Result<Layout, Error> {
        let [h, w, c] = self.sides;
        Layout::packed(&[c, w, h])?.permute(&[2, 1, 0])?.flip(0)
    }

    fn matrices(&self) -> Result<[Layout; 2], Error> {
        Ok([Layout::packed(&[(self.elements / (2304 * 1024)).max(1), 2304, 1024])?; 2])
    }
}

/// All layouts, in the order of the picture.
pub fn ways() -> Vec<Way> {
    let way = |name: &str, components, axis, layouts, goal| Way {
        name: name.to_owned(),
        components,
        axis,
        layouts,
        goal,
    };
    let flat: [(&str, Layouts); 2] = [
        ("flat", |p| Ok([Layout::packed(&[p.elements])?; 2])),
        ("flat, at an odd offset", |p| {
            let src = Layout::packed(&[p.elements + 5])?.slice(0, 5..p.elements + 5)?;
            Ok([src, Layout::packed(&[p.elements])?])
        }),
    ];
    let mut ways: Vec<_> =
        flat.into_iter().map(|(name, layouts)| way(name, 1, None, layouts, |_, _| LEAST)).collect();

    let channels: [(&str, &[usize], Option<usize>, Layouts, Goal); 5] = [
        ("HWC to HWC", &[3, 4, 8, 16, 64, 1024], Some(2), |p| Ok([p.hwc, p.hwc]), in_pixels),
        ("HWC to CHW", &[2, 3, 4, 8, 16, 64], Some(2), |p| Ok([p.hwc, p.planes]), to_planes),
        ("HWC to CHW", &[3, 8, 16], None, |p| Ok([p.hwc, p.planes]), to_planes),
        ("CHW to HWC", &[2, 3, 4, 8, 16, 64], Some(2), |p| Ok([p.planes, p.hwc]), |_, _| LEAST),
        ("CHW to CHW", &[3], Some(2), |p| Ok([p.planes, p.planes]), |_, _| LEAST),
    ];
    for (name, counts, axis, layouts, goal) in channels {
        let clamps = if axis.is_some() { "per channel" } else { "one clamp" };
        let name = |count: &usize| format!("{name}, {count} channels, {clamps}");
        ways.extend(counts.iter().map(|count| way(&name(count), *count, axis, layouts, goal)));
    }

    let others: [(&str, usize, Layouts, Goal); 16] = [
        ("HWC to HWC, BGR to RGB", 3, |p| Ok([p.hwc.flip(2)?, p.hwc]), |_, _| 0.4),
        ("HWC to CHW, BGR to RGB", 3, |p| Ok([p.hwc.flip(2)?, p.planes]), |_, _| LEAST),
        ("HWC to HWC, mirrored", 3, |p| Ok([p.hwc.flip(1)?, p.hwc]), |_, _| 0.33),
        (
            "HWC to CHW, mirrored",
            3,
            |p| Ok([p.hwc.flip(1)?, p.planes]),
            |_, [_, dtype]| match dtype {
                DType::F32 => 0.6,
                _ => LEAST,
            },
        ),
        ("plane, mirrored", 1, |p| Ok([p.hwc.flip(1)?, p.hwc]), |_, _| 0.25),
        ("HWC to HWC, upside down", 3, |p| Ok([p.hwc.flip(0)?, p.hwc]), |_, _| LEAST),
        ("HWC to HWC, rotated by 90°", 3, |p| Ok([p.transposed()?.flip(0)?, p.hwc]), |_, _| 0.2),
        ("CHW to CHW, rotated by 90°", 3, |p| Ok([p.rotated_planes()?, p.planes]), |_, _| LEAST),
        ("HWC to HWC, RGBA to RGB", 3, |p| Ok([p.rgba()?, p.hwc]), |_, _| 0.3),
        ("HWC to HWC, RGB into RGBA", 3, |p| Ok([p.hwc, p.rgba()?]), |_, _| LEAST),
        ("HWC to CHW, RGBA to RGB", 3, |p| Ok([p.rgba()?, p.planes]), |_, _| LEAST),
        ("HWC to HWC, a crop at odd places", 3, |p| Ok([p.crop()?, p.hwc]), |_, _| LEAST),
        ("HWC to CHW, a crop at odd places", 3, |p| Ok([p.crop()?, p.planes]), |_, _| LEAST),
        ("HWC to HWC, every second pixel", 3, |p| Ok([p.every_second_pixel()?, p.hwc]), |_, _| LEAST),
        ("plane, every second column", 1, |p| Ok([p.every_second_pixel()?, p.hwc]), |_, _| LEAST),
        ("2-D transpose", 1, |p| Ok([p.transposed()?, p.hwc]), transposed),
    ];
    let others = others.map(|(name, components, layouts, goal)| way(name, components, None, layouts, goal));
    ways.extend(others);
    ways.push(way("[2304, 1024], per row", 1, Some(1), Picture::matrices, |_, _| LEAST));
    ways.push(way("[2304, 1024], per column", 1, Some(2), Picture::matrices, |_, _| LEAST));
    ways
}

/// The goal of a layout without a stricter one. The table has stricter goals for flat tensors and for planes.
const LEAST: f64 = 0.15;

fn in_pixels(components: usize, [source, dtype]: Pair) -> f64 {
    match (components, dtype.size()) {
        (3 | 4, size) if source.size() == size => 0.28,
        (3 | 4, 1) => 0.5,
        (3 | 4, 2) => 0.4,
        (3 | 4, _) => 0.6,
        _ => 0.28,
    }
}

fn to_planes(components: usize, pair: Pair) -> f64 {
    match (components, pair) {
        (8, [DType::U8, DType::U8]) => 0.25,
        (16, [DType::F32, DType::F32]) => 0.4,
        _ => LEAST,
    }
}

fn transposed(_: usize, [source, dtype]: Pair) -> f64 {
    match dtype {
        _ if source.size() != dtype.size() => 0.5,
        DType::F32 => 0.5,
        DType::U8 => 0.25,
        _ => LEAST,
    }
}

impl Way {
    /// The least ratio to a copy that a software driver should reach.
    pub fn goal(&self, pair: Pair) -> f64 {
        (self.goal)(self.components, pair)
    }

    /// The case of about `elements` elements, or fewer if the source or the destination would be larger than `most`
    /// bytes.
    pub fn case(&self, pair: Pair, elements: usize, most: u64) -> Result<Case> {
        let case = self.sized(pair, elements)?;
        let needed = case.src.required_bytes(pair[0]).max(case.dst.required_bytes(pair[1]));
        if needed <= most {
            return Ok(case);
        }
        // A crop's source has a few rows and columns more than the case has elements.
        let fewer = elements as u128 * u128::from(most) * 15 / 16 / u128::from(needed);
        self.sized(pair, fewer as usize)
    }

    fn sized(&self, pair: Pair, elements: usize) -> Result<Case> {
        let [src, dst] = (self.layouts)(&Picture::new(elements, self.components)?)?;
        let Some(axis) = self.axis else { return Ok(Case::new(clamp(pair, 0)?, src, dst)) };
        let clamps = (0..src.shape()[axis]).map(|n| clamp(pair, n)).collect::<Result<Vec<_>>>()?;
        Ok(Case::along(axis, &clamps, src, dst))
    }
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_layout_has_a_name_and_a_case_of_its_own() {
        let names: HashSet<_> = ways().into_iter().map(|way| way.name).collect();
        assert_eq!(names.len(), ways().len());
        let cases = ways().into_iter().map(|way| {
            let case = way.case(PAIRS[0], 1 << 18, u64::MAX).unwrap();
            format!("{:?} {:?} {:?}", case.src, case.dst, case.channels)
        });
        assert_eq!(cases.collect::<HashSet<_>>().len(), ways().len());
    }

    #[test]
    fn tensors_are_as_large_as_asked_for_and_no_larger_than_a_binding() {
        let most = 1 << 24;
        for (way, pair) in ways().iter().flat_map(|way| PAIRS.map(|pair| (way, pair))) {
            for elements in [1 << 20, 1 << 22] {
                let case = way.case(pair, elements, most).unwrap();
                let sizes = [case.src.required_bytes(pair[0]), case.dst.required_bytes(pair[1])];
                let whole = way.sized(pair, elements).unwrap();
                assert!(sizes.iter().all(|bytes| *bytes <= most), "{}: {sizes:?}", way.name);
                let matrix = way.name.starts_with("[2304");
                assert!(matrix || whole.dst.len() * 20 > elements * 19 && whole.dst.len() <= elements);
                assert!(case.dst.len() * 3 > whole.dst.len(), "{}", way.name);
            }
        }
    }

    #[test]
    fn channels_differ_from_their_neighbours() {
        for pair in PAIRS {
            let clamps: Vec<_> = (0..97).map(|channel| clamp(pair, channel).unwrap()).collect();
            assert!(clamps.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}
