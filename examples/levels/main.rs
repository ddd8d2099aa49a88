//! Stretches the levels of a real picture, and turns it into the input of a neural network.
//!
//! ```text
//! cargo run --release --example levels -- [--out DIR]
//! ```
//!
//! Three parts on the Hubble eXtreme Deep Field; each result is compared with the CPU reference:
//!
//! - (a) scale, bias and clamp, as astronomers and photographers use them to show faint objects: a rectangle of the
//!   8-bit picture, in place; the rest of the buffer must not change;
//! - (b) the same with the whole picture in f32, from interleaved to planar by strides alone;
//! - (c) from interleaved bytes to planar f32, normalised per channel, in one pass, and back in another.

mod call;

use std::path::{Path, PathBuf};

use call::Call;
use clap::{Command, arg, value_parser};
use image::{DynamicImage, Rgb32FImage, RgbImage, imageops};
use wgpu_clamp::{Clamp, Clamps, DType, Error, Host, Layout, Precision, Rounding};

const PICTURE: &[u8] = include_bytes!("../data/hubble_deep_field.jpg");

/// The sample that the affine step of (a) and (b) maps to 0: just below the empty sky, most of which is 8 to 18.
const BLACK: f32 = 5.0;
/// The sample that becomes white. Only 1 sample in 40 is brighter, in stars and in the middle of large galaxies.
const WHITE: f32 = 107.0;
const SCALE: f32 = 255.0 / (WHITE - BLACK);

/// What networks trained on `ImageNet` take: (x / 255 - mean) / deviation, for red, green and blue.
const MEAN: [f32; 3] = [0.485, 0.456, 0.406];
const DEVIATION: [f32; 3] = [0.229, 0.224, 0.225];
/// The bounds are ±LIMIT. Both cut some samples: black is -2.12 in red, white 2.64 in blue.
const LIMIT: f32 = 2.0;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() {
    if let Err(error) = demo() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn demo() -> Result<()> {
    let arguments = Command::new("levels")
        .about("Clamps a picture, and compares each byte with the CPU reference")
        .arg(arg!(--out <DIR>).default_value("target/demo").value_parser(value_parser!(PathBuf)))
        .get_matches();
    let out = arguments.get_one::<PathBuf>("out").expect("it has a default");
    std::fs::create_dir_all(out).map_err(|error| format!("cannot create {}: {error}", out.display()))?;
    let picture = image::load_from_memory(PICTURE)?.into_rgb8();
    let (width, height) = picture.dimensions();
    println!("picture: Hubble eXtreme Deep Field (NASA, ESA), {width} x {height} pixels");
    // On a machine without a device the CPU reference does the work.
    let host = match Host::open_blocking() {
        Ok(host) => Some(host),
        Err(error @ Error::NoDevice { .. }) => {
            println!("No GPU can be used, so the CPU reference computes the pictures instead ({error}).");
            None
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(host) = &host {
        println!("adapter: {}", host.adapter());
    }
    let host = host.as_ref();

    let (crop, crop_passed) = rectangle_in_place(host, &picture)?;
    let (whole, whole_passed) = interleaved_to_planar(host, &picture)?;
    let (returned, returned_passed) = there_and_back(host, &picture)?;

    // Saved even after a wrong result: the pictures show where it is.
    println!("\npictures, before and after side by side:");
    save_pair(&picture, crop, &out.join("levels_u8_rectangle.png"))?;
    save_pair(&picture, whole, &out.join("levels_f32_planar.png"))?;
    save_pair(&picture, returned, &out.join("levels_round_trip.png"))?;
    if !(crop_passed && whole_passed && returned_passed) {
        return Err("a result differs from the expected one".into());
    }
    Ok(())
}

/// The shape of an interleaved picture, and its layout with the channel as the first axis.
fn interleaved(picture: &RgbImage) -> Result<([usize; 3], Layout)> {
    let shape = [picture.height() as usize, picture.width() as usize, 3];
    Ok((shape, Layout::packed(&shape)?.permute(&[2, 0, 1])?))
}

/// Part (a). The bytes of the picture with its middle stretched, and whether the reference agrees.
fn rectangle_in_place(host: Option<&Host>, picture: &RgbImage) -> Result<(Vec<u8>, bool)> {
    println!("\n(a) a rectangle of the 8-bit picture, in place");
    let (shape @ [height, width, _], _) = interleaved(picture)?;
    // The rectangle's rows begin one picture row apart, in the middle of a 4-byte word. The word's first bytes lie
    // outside and must stay.
    let rectangle = Layout::packed(&shape)?
        .slice(0, height / 5..height * 4 / 5)?
        .slice(1, width / 5 + 1..width * 4 / 5)?;
    // The range of video levels. 16 hides noise of the darkest sky, and is brighter than most of the sky outside.
    let clamp = Clamp::new(16_u8, 235).with_affine(SCALE, -BLACK * SCALE)?;
    let clamps = (&clamp).into();
    Call { clamps, src_layout: rectangle, src: picture, dst_layout: rectangle, in_place: true }.run(host)
}

/// Part (b). The bytes of the whole picture, stretched, and whether the reference agrees.
fn interleaved_to_planar(host: Option<&Host>, picture: &RgbImage) -> Result<(Vec<u8>, bool)> {
    println!("\n(b) the whole picture in f32, from interleaved to planar");
    // Samples from 0 to 1. The result has them in planes, as neural networks take them.
    let samples = DynamicImage::ImageRgb8(picture.clone()).into_rgb32f();
    let (_, by_plane) = interleaved(picture)?;
    let planar = Layout::packed(by_plane.shape())?;
    // `Exact` gives the same bits on every device, however the device multiplies and adds.
    let clamp =
        Clamp::new(0.0_f32, 1.0).with_affine(SCALE, -BLACK / 255.0 * SCALE)?.with_precision(Precision::Exact);
    let (clamps, src) = ((&clamp).into(), bytemuck::cast_slice(&samples));
    let (after, passed) =
        Call { clamps, src_layout: by_plane, src, dst_layout: planar, in_place: false }.run(host)?;

    // Back to interleaved, for the PNG.
    let after: Vec<f32> = bytemuck::pod_collect_to_vec(&after);
    let after = planar.permute(&[1, 2, 0])?.addresses().map(|address| after[address]).collect();
    let after = Rgb32FImage::from_raw(picture.width(), picture.height(), after)
        .ok_or("the result has the wrong size for a picture")?;
    Ok((DynamicImage::ImageRgb32F(after).into_rgb8().into_raw(), passed))
}

/// Part (c). The bytes of the picture after conversion to the tensor and back, and whether all results are right.
fn there_and_back(host: Option<&Host>, picture: &RgbImage) -> Result<(Vec<u8>, bool)> {
    println!("\n(c) the whole picture as a network takes it, by one clamp per channel");
    let (_, by_plane) = interleaved(picture)?;
    let planar = Layout::packed(by_plane.shape())?;
    let mut normalise = Vec::new();
    // The inverse of `normalise`. A sample comes back a few millionths off, and rounding restores the integer.
    let mut restore = Vec::new();
    for (mean, deviation) in MEAN.into_iter().zip(DEVIATION) {
        normalise.push(
            Clamp::new(-LIMIT, LIMIT)
                .with_source(DType::U8)?
                .with_affine(1.0 / (255.0 * deviation), -mean / deviation)?,
        );
        restore.push(
            Clamp::new(0_u8, 255)
                .with_source(DType::F32)?
                .with_affine(255.0 * deviation, 255.0 * mean)?
                .with_rounding(Rounding::NearestEven),
        );
    }
    let mut passed = true;
    let mut run = |clamps: &[Clamp], src_layout, src: &[u8], dst_layout| -> Result<Vec<u8>> {
        let mut after = Vec::new();
        // With `Fast`, the default, each device gives some bits of a stated set; with `Exact` all give the same bits.
        for precision in [Precision::Fast, Precision::Exact] {
            println!("  {precision:?}");
            let clamps: Vec<_> = clamps.iter().map(|clamp| clamp.with_precision(precision)).collect();
            let clamps = Clamps::along(0, &clamps);
            let right;
            (after, right) = Call { clamps, src_layout, src, dst_layout, in_place: false }.run(host)?;
            passed &= right;
        }
        Ok(after)
    };
    let tensor = run(&normalise, by_plane, picture, planar)?;
    println!("  and back, rounded to the nearest");
    let after = run(&restore, planar, &tensor, by_plane)?;
    passed &= all_returned(picture, bytemuck::cast_slice(&tensor), &after);
    Ok((after, passed))
}

/// Prints how many samples were cut and how many came back unchanged. Returns whether all but the cut ones did.
fn all_returned(before: &[u8], tensor: &[f32], after: &[u8]) -> bool {
    println!("  samples          cut below    cut above    not cut, came back as they were");
    let mut all_returned = true;
    for (channel, plane) in tensor.chunks(tensor.len() / 3).enumerate() {
        // No sample is normalised to a limit exactly, so a value at a limit was cut.
        let below = plane.iter().filter(|&&x| x <= -LIMIT).count();
        let above = plane.iter().filter(|&&x| x >= LIMIT).count();
        let channel_of = |bytes: &[u8]| bytes.iter().copied().skip(channel).step_by(3).collect::<Vec<_>>();
        let samples = channel_of(before).into_iter().zip(channel_of(after)).zip(plane);
        let returned = samples.filter(|((before, after), x)| x.abs() < LIMIT && before == after).count();
        let others = plane.len() - below - above;
        println!(
            "    {:8} {below:>15} {above:>12} {returned:>12} of {others}",
            ["red", "green", "blue"][channel]
        );
        all_returned &= returned == others;
    }
    all_returned
}

fn save_pair(before: &RgbImage, after: Vec<u8>, path: &Path) -> Result<()> {
    const GAP: u32 = 8;
    let (width, height) = before.dimensions();
    let after = RgbImage::from_raw(width, height, after).ok_or("the result has the wrong size")?;
    let mut pair = RgbImage::from_pixel(2 * width + GAP, height, image::Rgb([255; 3]));
    imageops::replace(&mut pair, before, 0, 0);
    imageops::replace(&mut pair, &after, (width + GAP).into(), 0);
    pair.save(path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    println!("  {}", path.display());
    Ok(())
}
