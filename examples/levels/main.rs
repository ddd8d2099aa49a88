//! Stretches the levels of a real picture.
//!
//! ```text
//! cargo run --release --example levels -- [--out DIR]
//! ```
//!
//! Two parts on the Hubble eXtreme Deep Field; each result is compared with the CPU reference:
//!
//! - (a) scale, bias and clamp, as astronomers and photographers use them to show faint objects: a rectangle of the
//!   8-bit picture, in place; the rest of the buffer must not change;
//! - (b) the same with the whole picture in f32, from interleaved to planar by strides alone.

mod call;

use std::path::{Path, PathBuf};

use call::Call;
use clap::{Command, arg, value_parser};
use image::{DynamicImage, Rgb32FImage, RgbImage, imageops};
use wgpu_clamp::{Clamp, Error, Host, Layout, Precision};

const PICTURE: &[u8] = include_bytes!("../data/hubble_deep_field.jpg");

/// The sample that the affine step of (a) and (b) maps to 0: just below the empty sky, most of which is 8 to 18.
const BLACK: f32 = 5.0;
/// The sample that becomes white. Only 1 sample in 40 is brighter, in stars and in the middle of large galaxies.
const WHITE: f32 = 107.0;
const SCALE: f32 = 255.0 / (WHITE - BLACK);

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
        println!("adapter: {}", host.description());
    }
    let host = host.as_ref();

    let (crop, crop_passed) = rectangle_in_place(host, &picture)?;
    let (whole, whole_passed) = interleaved_to_planar(host, &picture)?;

    // Saved even after a wrong result: the pictures show where it is.
    println!("\npictures, before and after side by side:");
    save_pair(&picture, crop, &out.join("levels_u8_rectangle.png"))?;
    save_pair(&picture, whole, &out.join("levels_f32_planar.png"))?;
    if !(crop_passed && whole_passed) {
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
    Call { clamp, src_layout: rectangle, src: picture, dst_layout: rectangle, in_place: true }.run(host)
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
    let src = bytemuck::cast_slice(&samples);
    let (after, passed) =
        Call { clamp, src_layout: by_plane, src, dst_layout: planar, in_place: false }.run(host)?;

    // Back to interleaved, for the PNG.
    let after: Vec<f32> = bytemuck::pod_collect_to_vec(&after);
    let after = planar.permute(&[1, 2, 0])?.addresses().map(|address| after[address]).collect();
    let after = Rgb32FImage::from_raw(picture.width(), picture.height(), after)
        .ok_or("the result has the wrong size for a picture")?;
    Ok((DynamicImage::ImageRgb32F(after).into_rgb8().into_raw(), passed))
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
