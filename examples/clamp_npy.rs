//! Clamps a `.npy` file of any size into another: a slice is read, clamped on the GPU and written, then the next.
//!
//! ```text
//! cargo run --release --example clamp_npy -- --min -1 --max 1 IN.npy OUT.npy
//! ```
//!
//! Memory does not grow with the file: on Mesa's lavapipe 22.3.6 the peak is 141 MiB both for 128 MiB of f32 and for
//! 2 GiB (maximum resident set size on Linux, 2026-11-23).
//!
//! OUTPUT appears under its name when it is complete. Until then its data is in a temporary file in the same folder,
//! named `.clamp_npy.` and six letters. An error removes this file; killing the program leaves it behind.
//!
//! Scale and bias are taken as f32 unless OUTPUT is f64. Results in an integer dtype lose their fraction and saturate;
//! NaN counts as 0. With only `--min` and `--max` the results have the bits of `numpy.clip`, unless MIN > MAX: then MIN
//! wins here, and MAX in `numpy.clip`. And a zero keeps its sign here; in `numpy.clip`,
//! a zero as the only bound may change it.

use std::fmt::Debug;
use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{self, Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::{ArgGroup, ArgMatches, Command, arg, value_parser};
use half::f16;
use indicatif::{ProgressBar, ProgressStyle};
use npyz::{NpyHeader, WriteOptions, WriterBuilder as _};
use tempfile::NamedTempFile;
use wgpu_clamp::{Clamp, DType, Element, Host, Number, Precision};

/// Elements per slice: at most 32 MiB to read, and as much to write.
const SLICE: usize = 4 << 20;

fn main() {
    let operator = ArgGroup::new("operator").args(["min", "max", "scale", "bias", "dtype"]);
    let args = Command::new("clamp_npy")
        .about("Clamps every element of a .npy file: max(MIN, min(x * SCALE + BIAS, MAX))")
        .arg(arg!(--min <NUMBER> "Lower bound, an element of OUTPUT"))
        .arg(arg!(--max <NUMBER> "Upper bound, an element of OUTPUT"))
        .arg(arg!(--scale <NUMBER>).default_value("1"))
        .arg(arg!(--bias <NUMBER>).default_value("0"))
        .arg(arg!(--dtype <DTYPE> "Dtype of OUTPUT").value_parser(value_parser!(DType)))
        .mut_args(|option| option.allow_hyphen_values(true))
        .group(operator.required(true).multiple(true))
        .arg(arg!(<INPUT> "A .npy file").value_parser(value_parser!(PathBuf)))
        .arg(arg!(<OUTPUT> "The result, of the same shape and order").value_parser(value_parser!(PathBuf)))
        .override_usage("clamp_npy [OPTIONS] <INPUT> <OUTPUT>")
        .get_matches();
    if let Err(error) = run(&args) {
        eprintln!("error: {error:#}");
        std::process::exit(1);
    }
}

fn run(args: &ArgMatches) -> Result<()> {
    let [input, output] = ["INPUT", "OUTPUT"].map(|name| args.get_one::<PathBuf>(name).expect("required"));
    let of_input = || format!("INPUT: {}", input.display());
    let of_output = || format!("OUTPUT: {}", output.display());

    let input = input.canonicalize().with_context(of_input)?;
    let (mut file, header, source, big_endian) = open(&input).with_context(of_input)?;
    let clamp = clamp(args, source)?;
    let dtype = clamp.dtype();

    // If OUTPUT is a link, it stays one, and the file that it names is replaced.
    let target = output.canonicalize().or_else(|_| path::absolute(output)).with_context(of_output)?;
    ensure!(target != input, "{} is INPUT; give another name", of_output());
    ensure!(target.is_file() || !target.exists(), "{} is not a file; give another name", of_output());
    let folder = target.with_file_name("");
    let mut part = NamedTempFile::with_prefix_in(".clamp_npy.", folder).with_context(of_output)?;
    let byte_order = if dtype.size() == 1 { '|' } else { ['<', '>'][usize::from(big_endian)] };
    let code = npyz::DType::new_scalar(format!("{byte_order}{}", code(dtype)).parse()?);
    let writer = WriteOptions::new_header_only().dtype(code).shape(header.shape()).order(header.order());
    writer.writer(&mut part).write_header_only().with_context(of_output)?;

    // Leaked on purpose: a driver unloaded just before the process ends may leave an exit handler whose code is gone.
    let host = Box::leak(Box::new(Host::open_blocking()?));
    let style = "{wide_bar} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left";
    let bar = ProgressBar::new(header.len() * source.size() as u64);
    bar.set_style(ProgressStyle::with_template(style)?);
    for first in (0..header.len()).step_by(SLICE) {
        let len = SLICE.min((header.len() - first) as usize);
        let (mut src, mut dst) = (vec![0; len * source.size()], vec![0; len * dtype.size()]);
        file.read_exact(&mut src).with_context(of_input)?;
        if big_endian {
            src.chunks_exact_mut(source.size()).for_each(<[u8]>::reverse);
        }
        host.clamp_bytes(clamp, &src, &mut dst).run_blocking()?;
        if big_endian {
            dst.chunks_exact_mut(dtype.size()).for_each(<[u8]>::reverse);
        }
        part.write_all(&dst).with_context(of_output)?;
        bar.inc(src.len() as u64);
    }

    // OUTPUT gets INPUT's permissions (temporary files are private), and is on the disk before it has its name.
    let permissions = file.metadata().with_context(of_input)?.permissions();
    part.as_file().set_permissions(permissions).with_context(of_output)?;
    part.as_file().sync_all().with_context(of_output)?;
    part.persist(&target).map_err(|error| error.error).with_context(of_output)?;
    println!("{}: {} elements, {clamp}, on {}", output.display(), header.len(), host.description());
    Ok(())
}

/// The file, positioned after its header; the header; the elements' dtype; whether they are big-endian.
fn open(path: &Path) -> Result<(File, NpyHeader, DType, bool)> {
    let mut file = File::open(path)?;
    let header = NpyHeader::from_reader(&file)?;
    let descr = header.dtype().descr();
    let dtype = DType::ALL.iter().copied().find(|&dtype| descr[2..] == format!("{}'", code(dtype)));
    let unknown = || format!("its elements are {descr}; i1 to i8, u1 to u8 and f2 to f8 can be clamped");
    let dtype = dtype.with_context(unknown)?;
    // `header.len()` may have overflowed.
    let shape = header.shape();
    let bytes = shape.iter().fold(dtype.size() as u64, |bytes, &extent| bytes.saturating_mul(extent));
    let found = file.metadata()?.len().saturating_sub(file.stream_position()?);
    ensure!(found == bytes, "{found} bytes follow its header; {shape:?} elements of {dtype} take {bytes}");
    Ok((file, header, dtype, descr.starts_with("'>")))
}

/// The code of a dtype in a file's header, without the byte order: `f4` for f32.
fn code(dtype: DType) -> String {
    format!("{}{}", &dtype.name()[..1], dtype.size())
}

/// The clamp for elements of `source`. It is exact, so every GPU gives the same bits.
fn clamp(args: &ArgMatches, source: DType) -> Result<Clamp> {
    let dtype = *args.get_one("dtype").unwrap_or(&source);
    let clamp = match dtype {
        DType::F32 => bounded(args, [f32::MIN, f32::MAX]),
        DType::F16 => bounded(args, [f16::MIN, f16::MAX]),
        DType::F64 => bounded(args, [f64::MIN, f64::MAX]),
        DType::I8 => bounded(args, [i8::MIN, i8::MAX]),
        DType::I16 => bounded(args, [i16::MIN, i16::MAX]),
        DType::I32 => bounded(args, [i32::MIN, i32::MAX]),
        DType::I64 => bounded(args, [i64::MIN, i64::MAX]),
        DType::U8 => bounded(args, [u8::MIN, u8::MAX]),
        DType::U16 => bounded(args, [u16::MIN, u16::MAX]),
        DType::U32 => bounded(args, [u32::MIN, u32::MAX]),
        DType::U64 => bounded(args, [u64::MIN, u64::MAX]),
        _ => bail!("--dtype: a .npy file cannot have elements of {dtype}; f16 and f32 do"),
    }?;
    let clamp = if dtype == DType::F64 {
        clamp.with_affine(finite::<f64>(args, "scale")?, finite::<f64>(args, "bias")?)
    } else {
        clamp.with_affine(finite::<f32>(args, "scale")?, finite::<f32>(args, "bias")?)
    }?;
    let clamp = clamp.with_precision(Precision::Exact);
    let remedy = "any two of u8, i8, u16, i16, u32, i32, f16 and f32 do";
    clamp.with_source(source).map_err(|_| anyhow!("--dtype: {source} does not convert to {dtype}; {remedy}"))
}

/// The scale or the bias. Refuses infinities and NaN.
fn finite<T: FromStr + Into<f64> + Copy>(args: &ArgMatches, name: &str) -> Result<T> {
    let text = args.get_one::<String>(name).expect("it has a default");
    let value = text.parse().ok().filter(|&value: &T| value.into().is_finite());
    value.with_context(|| format!("--{name}: {text:?} is no finite number of {} bits", 8 * size_of::<T>()))
}

/// A clamp with the bounds that are given. They are parsed as `T`, so integers stay exact. Refuses infinities and NaN.
fn bounded<T: Element + FromStr + PartialOrd + Debug>(
    args: &ArgMatches,
    [lowest, highest]: [T; 2],
) -> Result<Clamp> {
    let bound = |name| {
        let Some(text) = args.get_one::<String>(name) else { return Ok(Number::Absent) };
        let value = text.parse().ok().filter(|value| (lowest..=highest).contains(value));
        value.map(Number::from).with_context(|| {
            format!("--{name}: {text:?} is no {}; give a number from {lowest:?} to {highest:?}", T::DTYPE)
        })
    };
    Ok(Clamp::unbounded(T::DTYPE).with_bounds(bound("min")?, bound("max")?)?)
}
