//! The layouts and the pairs of dtypes that the sweep measures.

use anyhow::Result;
use half::f16;
use wgpu_clamp::{Clamp, DType, Layout, Rounding};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    kind: Kind,
    /// Elements of a pixel.
    components: usize,
    /// Whether each component, row or column has a clamp of its own.
    channels: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Flat,
    OddOffset,
    HwcToHwc,
    HwcToChw,
    ChwToHwc,
    ChwToChw,
    Bgr,
    BgrToChw,
    Mirrored,
    MirroredToChw,
    UpsideDown,
    Rotated,
    RotatedPlanes,
    RgbaToRgb,
    RgbToRgba,
    RgbaToChw,
    Crop,
    CropToChw,
    EverySecondPixel,
    Transposed,
    PerRow,
    PerColumn,
}

/// All layouts, in the order of the picture.
#[must_use]
pub fn ways() -> Vec<Way> {
    let one = |kind, components| Way { kind, components, channels: false };
    let each = |kind, components| Way { kind, components, channels: true };
    let mut ways = vec![one(Kind::Flat, 1), one(Kind::OddOffset, 1)];
    ways.extend([3, 4, 8, 16, 64, 1024].map(|n| each(Kind::HwcToHwc, n)));
    ways.extend([2, 3, 4, 8, 16, 64].map(|n| each(Kind::HwcToChw, n)));
    ways.extend([3, 8, 16].map(|n| one(Kind::HwcToChw, n)));
    ways.extend([2, 3, 4, 8, 16, 64].map(|n| each(Kind::ChwToHwc, n)));
    ways.push(each(Kind::ChwToChw, 3));
    ways.extend([Kind::Bgr, Kind::BgrToChw, Kind::Mirrored, Kind::MirroredToChw].map(|kind| one(kind, 3)));
    ways.push(one(Kind::Mirrored, 1));
    ways.extend([Kind::UpsideDown, Kind::Rotated, Kind::RotatedPlanes].map(|kind| one(kind, 3)));
    ways.extend([Kind::RgbaToRgb, Kind::RgbToRgba, Kind::RgbaToChw].map(|kind| one(kind, 3)));
    ways.extend([Kind::Crop, Kind::CropToChw, Kind::EverySecondPixel].map(|kind| one(kind, 3)));
    ways.push(one(Kind::EverySecondPixel, 1));
    ways.push(one(Kind::Transposed, 1));
    ways.extend([Kind::PerRow, Kind::PerColumn].map(|kind| each(kind, 1)));
    ways
}

impl Way {
    /// The layout's name.
    #[must_use]
    pub fn name(self) -> String {
        let Self { kind, components, channels } = self;
        let one = components == 1;
        let shape = match kind {
            Kind::Flat => return "flat".to_owned(),
            Kind::OddOffset => return "flat, at an odd offset".to_owned(),
            Kind::Transposed => return "2-D transpose".to_owned(),
            Kind::PerRow => return "[2304, 1024], per row".to_owned(),
            Kind::PerColumn => return "[2304, 1024], per column".to_owned(),
            Kind::Mirrored if one => return "plane, mirrored".to_owned(),
            Kind::EverySecondPixel if one => return "plane, every second column".to_owned(),
            Kind::HwcToHwc => "HWC to HWC",
            Kind::HwcToChw => "HWC to CHW",
            Kind::ChwToHwc => "CHW to HWC",
            Kind::ChwToChw => "CHW to CHW",
            Kind::Bgr => return "HWC to HWC, BGR to RGB".to_owned(),
            Kind::BgrToChw => return "HWC to CHW, BGR to RGB".to_owned(),
            Kind::Mirrored => return "HWC to HWC, mirrored".to_owned(),
            Kind::MirroredToChw => return "HWC to CHW, mirrored".to_owned(),
            Kind::UpsideDown => return "HWC to HWC, upside down".to_owned(),
            Kind::Rotated => return "HWC to HWC, rotated by 90°".to_owned(),
            Kind::RotatedPlanes => return "CHW to CHW, rotated by 90°".to_owned(),
            Kind::RgbaToRgb => return "HWC to HWC, RGBA to RGB".to_owned(),
            Kind::RgbToRgba => return "HWC to HWC, RGB into RGBA".to_owned(),
            Kind::RgbaToChw => return "HWC to CHW, RGBA to RGB".to_owned(),
            Kind::Crop => return "HWC to HWC, a crop at odd places".to_owned(),
            Kind::CropToChw => return "HWC to CHW, a crop at odd places".to_owned(),
            Kind::EverySecondPixel => return "HWC to HWC, every second pixel".to_owned(),
        };
        format!("{shape}, {components} channels, {}", if channels { "per channel" } else { "one clamp" })
    }

    /// The least ratio to a copy that a software driver should reach. The table has stricter goals for flat tensors
    /// and for planes.
    #[must_use]
    pub fn goal(self, [source, dtype]: Pair) -> f64 {
        let to_another_size = source.size() != dtype.size();
        match (self.kind, self.components) {
            (Kind::HwcToHwc, 3 | 4) if to_another_size => match dtype.size() {
                1 => 0.5,
                2 => 0.4,
                _ => 0.6,
            },
            (Kind::HwcToHwc, _) => 0.28,
            (Kind::Mirrored, 3) => 0.33,
            (Kind::Mirrored, _) => 0.25,
            (Kind::MirroredToChw, _) if dtype == DType::F32 => 0.6,
            (Kind::Bgr, _) => 0.4,
            (Kind::RgbaToRgb, _) => 0.3,
            (Kind::Rotated, _) => 0.2,
            (Kind::Transposed, _) if to_another_size || dtype == DType::F32 => 0.5,
            (Kind::Transposed, _) if dtype == DType::U8 => 0.25,
            (Kind::HwcToChw, 8) if [source, dtype] == [DType::U8; 2] => 0.25,
            (Kind::HwcToChw, 16) if [source, dtype] == [DType::F32; 2] => 0.4,
            _ => 0.15,
        }
    }

    /// The case of about `elements` elements, or fewer if the source or the destination would be larger than `most`
    /// bytes.
    ///
    /// # Errors
    ///
    /// None at sizes that a device can have.
    pub fn case(self, pair: Pair, elements: usize, most: u64) -> Result<Case> {
        let case = self.sized(pair, elements)?;
        let bytes = |case: &Case| case.src.required_bytes(pair[0]).max(case.dst.required_bytes(pair[1]));
        let needed = bytes(&case);
        if needed <= most {
            return Ok(case);
        }
        // A crop's source has a few rows and columns more than the case has elements.
        let fewer = elements as u128 * u128::from(most) * 15 / 16 / u128::from(needed);
        self.sized(pair, fewer as usize)
    }

    fn sized(self, pair: Pair, elements: usize) -> Result<Case> {
        let c = self.components;
        let [h, w] = sides(elements / c);
        let hwc = Layout::packed(&[h, w, c])?;
        let planes = Layout::packed(&[c, h, w])?.permute(&[1, 2, 0])?;
        let rgba = Layout::packed(&[h, w, 4])?.slice(2, 0..c.min(4))?;
        let crop = || Layout::packed(&[h + 9, w + 37, c])?.slice(0, 5..h + 5)?.slice(1, 11..w + 11);
        let matrix = Layout::packed(&[(elements / (2304 * 1024)).max(1), 2304, 1024])?;
        let flat = Layout::packed(&[elements])?;
        let (axis, [src, dst]) = match self.kind {
            Kind::Flat => (0, [flat, flat]),
            Kind::OddOffset => (0, [Layout::packed(&[elements + 5])?.slice(0, 5..elements + 5)?, flat]),
            Kind::HwcToHwc => (2, [hwc, hwc]),
            Kind::HwcToChw => (2, [hwc, planes]),
            Kind::ChwToHwc => (2, [planes, hwc]),
            Kind::ChwToChw => (2, [planes, planes]),
            Kind::Bgr => (2, [hwc.flip(2)?, hwc]),
            Kind::BgrToChw => (2, [hwc.flip(2)?, planes]),
            Kind::Mirrored => (2, [hwc.flip(1)?, hwc]),
            Kind::MirroredToChw => (2, [hwc.flip(1)?, planes]),
            Kind::UpsideDown => (2, [hwc.flip(0)?, hwc]),
            Kind::RotatedPlanes => (2, [Layout::packed(&[c, w, h])?.permute(&[2, 1, 0])?.flip(0)?, planes]),
            Kind::Rotated => (2, [Layout::packed(&[w, h, c])?.permute(&[1, 0, 2])?.flip(0)?, hwc]),
            Kind::RgbaToRgb => (2, [rgba, hwc]),
            Kind::RgbToRgba => (2, [hwc, rgba]),
            Kind::RgbaToChw => (2, [rgba, planes]),
            Kind::Crop => (2, [crop()?, hwc]),
            Kind::CropToChw => (2, [crop()?, planes]),
            Kind::EverySecondPixel => (2, [Layout::packed(&[h, 2 * w, c])?.step(1, 2)?, hwc]),
            Kind::Transposed => (2, [Layout::packed(&[w, h, c])?.permute(&[1, 0, 2])?, hwc]),
            Kind::PerRow => (1, [matrix, matrix]),
            Kind::PerColumn => (2, [matrix, matrix]),
        };
        if !self.channels {
            return Ok(Case::new(clamp(pair, 0)?, src, dst));
        }
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
        let names: HashSet<_> = ways().into_iter().map(Way::name).collect();
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
        for (way, pair) in ways().into_iter().flat_map(|way| PAIRS.map(|pair| (way, pair))) {
            for elements in [1 << 20, 1 << 22] {
                let case = way.case(pair, elements, most).unwrap();
                let sizes = [case.src.required_bytes(pair[0]), case.dst.required_bytes(pair[1])];
                let whole = way.sized(pair, elements).unwrap();
                assert!(sizes.iter().all(|bytes| *bytes <= most), "{}: {sizes:?}", way.name());
                let matrix = matches!(way.kind, Kind::PerRow | Kind::PerColumn);
                assert!(matrix || whole.dst.len() * 20 > elements * 19 && whole.dst.len() <= elements);
                assert!(case.dst.len() * 3 > whole.dst.len(), "{}", way.name());
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
