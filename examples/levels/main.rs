//! A real picture, its levels stretched, and as the input of a neural network.
//!
//! ```text
//! cargo run --release --example levels -- [--out DIR]
//! ```
//!
//! Three parts on the Hubble eXtreme Deep Field; each result is compared with the CPU reference:
//!
//! - (a) scale, bias and clamp, as astronomers and photographers do it to see what is faint: a rectangle of the 8-bit
//!   picture, in place; the rest of the buffer must not change;
//! - (b) the same with the whole picture in f32, from interleaved to planar by strides alone;
//! - (c) from interleaved bytes to planar f32, normalised per channel, in one pass, and back in another; beside each,
//!   the passes that do the same one after the other.

mod clock;
mod network;
mod stretch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use image::{RgbImage, imageops};
use wgpu_clamp::{Error, Host};

const PICTURE: &[u8] = include_bytes!("../data/hubble_deep_field.jpg");

const USAGE: &str = "usage: levels [--out DIR]    (DIR is target/demo if not given)";

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match demo() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn demo() -> Result<()> {
    let Some(out) = out_dir(std::env::args_os().skip(1))? else {
        println!("{USAGE}");
        return Ok(());
    };
    std::fs::create_dir_all(&out).map_err(|error| format!("cannot create {}: {error}", out.display()))?;
    let picture = image::load_from_memory(PICTURE)
        .map_err(|error| format!("cannot decode the picture: {error}"))?
        .into_rgb8();
    println!(
        "picture: Hubble eXtreme Deep Field (NASA, ESA), {} x {} pixels",
        picture.width(),
        picture.height()
    );
    let host = open()?;

    let (crop, crop_passed) =
        stretch::rectangle_in_place(host.as_ref(), &picture).map_err(|error| format!("part (a): {error}"))?;
    let (whole, whole_passed) = stretch::interleaved_to_planar(host.as_ref(), &picture)
        .map_err(|error| format!("part (b): {error}"))?;
    let (returned, returned_passed) =
        network::there_and_back(host.as_ref(), &picture).map_err(|error| format!("part (c): {error}"))?;

    // Also after a wrong result: the pictures show where it is.
    println!("\npictures, before and after side by side:");
    save_pair(&picture, &crop, &out.join("levels_u8_rectangle.png"))?;
    save_pair(&picture, &whole, &out.join("levels_f32_planar.png"))?;
    save_pair(&picture, &returned, &out.join("levels_round_trip.png"))?;
    if !(crop_passed && whole_passed && returned_passed) {
        return Err("a result is not what it should be".into());
    }
    Ok(())
}

/// The directory that the arguments name; `None` if they ask for help.
fn out_dir(mut args: impl Iterator<Item = OsString>) -> Result<Option<PathBuf>> {
    let mut out = PathBuf::from("target/demo");
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--out") => out = args.next().ok_or(format!("--out needs a directory\n{USAGE}"))?.into(),
            Some("-h" | "--help") => return Ok(None),
            _ => return Err(format!("unknown argument {}\n{USAGE}", arg.display()).into()),
        }
    }
    Ok(Some(out))
}

/// A device, or `None` on a machine that has none: the CPU reference does the work there.
fn open() -> Result<Option<Host>> {
    match Host::open_blocking() {
        Ok(host) => {
            println!("adapter: {}", host.adapter());
            Ok(Some(host))
        }
        Err(error @ Error::NoDevice { .. }) => {
            println!("No GPU can be used, so the CPU reference computes the pictures instead ({error}).");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn save_pair(before: &RgbImage, after: &RgbImage, path: &Path) -> Result<()> {
    const GAP: u32 = 8;
    let white = image::Rgb([255; 3]);
    let mut pair = RgbImage::from_pixel(before.width() + GAP + after.width(), before.height(), white);
    imageops::replace(&mut pair, before, 0, 0);
    imageops::replace(&mut pair, after, (before.width() + GAP).into(), 0);
    pair.save(path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    println!("  {}", path.display());
    Ok(())
}
