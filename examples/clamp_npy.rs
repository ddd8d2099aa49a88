//! Clamps a `.npy` file of any size into another: a slice is read, clamped on the GPU and written, then the next.
//!
//! ```text
//! cargo run --release --example clamp_npy -- --min -1 --max 1 IN.npy OUT.npy
//! ```
//!
//! Memory does not grow with the file: on Mesa's lavapipe 22.3.6 the peak is 141 MiB for 128 MiB of f32 and for 2 GiB
//! (maximum resident set size on Linux, 2026-11-23).
//!
//! OUTPUT appears under its name when it is complete: until then it is a temporary file beside it, `.clamp_npy.` with six
//! letters and `.part`, which an error removes and a kill leaves behind.
//!
//! A clamp treats all elements alike, so Fortran order stays as it is. Big-endian elements are turned on the way in and out.
//!
//! With `--min` and `--max` alone the results are the bits of `numpy.clip`, unless MIN > MAX: MIN wins here, MAX there.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{self, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use half::{bf16, f16};
use indicatif::{ProgressBar, ProgressStyle};
use lexopt::ValueExt as _;
use npyz::{Endianness, NpyHeader, TypeStr, WriteOptions, WriterBuilder as _};
use wgpu_clamp::{Clamp, DType, Host, Number, Precision};

const USAGE: &str = "usage: clamp_npy [OPTIONS] INPUT OUTPUT

Clamps every element of a .npy file: max(MIN, min(x * SCALE + BIAS, MAX)).
OUTPUT gets the shape, order and byte order of INPUT, and may not be INPUT.

  --min NUMBER    lower bound, an element of OUTPUT; none if not given
  --max NUMBER    upper bound, an element of OUTPUT; none if not given
  --scale NUMBER  an f32 (f64 if OUTPUT is f64); 1 if not given
  --bias NUMBER   an f32 (f64 if OUTPUT is f64); 0 if not given
  --dtype DTYPE   of OUTPUT; that of INPUT if not given. Any two of u8, i8, u16,
                  i16, f16 and f32 convert; what becomes an integer loses its
                  fraction and saturates, and NaN becomes 0";

/// Elements per slice: at most 32 MiB to read, and as much to write.
const SLICE: u64 = 4 << 20;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The values of options, by names without hyphens.
type Options = HashMap<String, String>;

fn main() -> ExitCode {
    match run() {
        Ok(said) => println!("{said}"),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Returns what there is to say.
fn run() -> Result<String> {
    let arguments = arguments().map_err(|error| format!("{error} (--help lists the options)"))?;
    let Some((options, input_path, output_path)) = arguments else { return Ok(USAGE.to_owned()) };
    let unread = |error| format!("INPUT: cannot read {}: {error}", input_path.display());
    let refused = |error| format!("INPUT: {}: {error}", input_path.display());
    let mut input = File::open(&input_path).map_err(unread)?;
    let header = NpyHeader::from_reader(&input).map_err(unread)?;
    let (source, big_endian) = element_type(&header).map_err(refused)?;
    let clamp = clamp(&options, source)?;
    let dtype = clamp.dtype();

    // The header's own count may have overflowed.
    let shape = header.shape();
    let bytes = shape.iter().fold(source.size() as u64, |bytes, &extent| bytes.saturating_mul(extent));
    let found = input.metadata()?.len().saturating_sub(input.stream_position()?);
    if found != bytes {
        let error = format!("{found} bytes follow its header; {shape:?} elements of {source} take {bytes}");
        return Err(refused(error).into());
    }

    let unwritten = |error| format!("OUTPUT: cannot write {}: {error}", output_path.display());
    let refused = |error| format!("OUTPUT: {} {error}; give another name", output_path.display());
    // A link stays a link, and the file that it names is replaced.
    let output = output_path.canonicalize().or_else(|_| path::absolute(&output_path)).map_err(unwritten)?;
    if output == input_path.canonicalize()? {
        return Err(refused("is INPUT").into());
    }
    let folder = output.parent().filter(|_| output.is_file() || !output.exists());
    let folder = folder.ok_or_else(|| refused("is there and is not a file"))?;
    let host = Host::open_blocking()?;
    let part = tempfile::Builder::new().prefix(".clamp_npy.").suffix(".part").tempfile_in(folder);
    let mut part = part.map_err(unwritten)?;
    let byte_order = if dtype.size() == 1 { '|' } else { ['<', '>'][usize::from(big_endian)] };
    let code: TypeStr = format!("{byte_order}{}{}", &dtype.name()[..1], dtype.size()).parse()?;
    let writer = WriteOptions::new_header_only().dtype(npyz::DType::new_scalar(code)).writer(&mut part);
    writer.order(header.order()).shape(shape).write_header_only().map_err(unwritten)?;

    let style = "{wide_bar} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left";
    let bar = ProgressBar::new(bytes).with_style(ProgressStyle::with_template(style)?);
    let elements = bytes / source.size() as u64;
    let (mut src, mut dst) = (Vec::new(), Vec::new());
    for first in (0..elements).step_by(SLICE as usize) {
        let len = SLICE.min(elements - first) as usize;
        src.resize(len * source.size(), 0);
        dst.resize(len * dtype.size(), 0);
        input.read_exact(&mut src).map_err(unread)?;
        if big_endian {
            src.chunks_exact_mut(source.size()).for_each(<[u8]>::reverse);
        }
        host.clamp_bytes(&clamp, &src, &mut dst).run_blocking()?;
        if big_endian {
            dst.chunks_exact_mut(dtype.size()).for_each(<[u8]>::reverse);
        }
        part.write_all(&dst).map_err(unwritten)?;
        bar.inc(src.len() as u64);
    }

    // On the disk before it has its name, and as readable as INPUT: temporary files are for their owner alone.
    part.as_file().sync_all().map_err(unwritten)?;
    part.as_file().set_permissions(input.metadata()?.permissions()).map_err(unwritten)?;
    part.persist(&output).map_err(|error| unwritten(error.error))?;
    let said = format!("{}: {elements} elements, {clamp}, on {}", output_path.display(), host.adapter());
    // The process ends here. A driver that is unloaded just before may leave an exit handler behind that is gone.
    std::mem::forget(host);
    Ok(said)
}

/// The options, INPUT and OUTPUT, or `None` if help is asked for.
fn arguments() -> Result<Option<(Options, PathBuf, PathBuf)>> {
    let (mut options, mut paths) = (Options::new(), Vec::new());
    let mut parser = lexopt::Parser::from_env();
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Long(name @ ("min" | "max" | "scale" | "bias" | "dtype")) => {
                let name = name.to_owned();
                options.insert(name, parser.value()?.string()?);
            }
            lexopt::Arg::Long("help") => return Ok(None),
            lexopt::Arg::Value(path) => paths.push(PathBuf::from(path)),
            _ => return Err(arg.unexpected().into()),
        }
    }
    let count = paths.len();
    let [input, output] = <[PathBuf; 2]>::try_from(paths)
        .map_err(|_| format!("{count} files are named; an INPUT and an OUTPUT are needed"))?;
    if options.is_empty() {
        return Err("nothing to do: give --min, --max, --scale, --bias or --dtype".into());
    }
    Ok(Some((options, input, output)))
}

/// The dtype of the elements, and whether they are big-endian.
fn element_type(header: &NpyHeader) -> std::result::Result<(DType, bool), String> {
    let found = header.dtype();
    if let npyz::DType::Plain(code) = &found {
        let bits = code.size_field().saturating_mul(8);
        if let Ok(dtype) = format!("{}{bits}", code.type_char().to_str()).parse() {
            return Ok((dtype, code.endianness() == Endianness::Big));
        }
    }
    let known = "i1, i2, i4, i8, u1, u2, u4, u8, f2, f4 and f8";
    Err(format!("its elements are {}; those that can be clamped are {known}", found.descr()))
}

/// The clamp for elements of `source`, whose results are the same bits on every GPU.
fn clamp(options: &Options, source: DType) -> Result<Clamp> {
    let dtype = options.get("dtype").map_or(Ok(source), |name| name.parse());
    let dtype = dtype.map_err(|error| format!("--{error}"))?;
    if dtype == DType::BF16 {
        return Err("--dtype: \"bf16\" is not in NumPy; give f16 or f32".into());
    }
    let clamp = Clamp::unbounded(dtype).with_source(source).map_err(|error| format!("--dtype: {error}"))?;
    let clamp = clamp.with_bounds(bound(options, "min", dtype)?, bound(options, "max", dtype)?)?;
    let clamp = clamp.with_precision(Precision::Exact);
    let clamp = if dtype == DType::F64 {
        clamp.with_affine_f64(number(options, "scale", 1.0)?, number(options, "bias", 0.0)?)
    } else {
        clamp.with_affine(number(options, "scale", 1.0)?, number(options, "bias", 0.0)?)
    };
    Ok(clamp.map_err(|error| format!("--{error}"))?)
}

/// A number of `dtype`: exact if that is an integer, else rounded to nearest (to f16 by way of f32).
fn bound(options: &Options, name: &str, dtype: DType) -> Result<Number> {
    let Some(text) = options.get(name) else { return Ok(Number::Absent) };
    macro_rules! parse {
        ($($dtype:ident $number:ty,)*) => {
            match dtype {
                $(DType::$dtype => {
                    let (lowest, highest) = (<$number>::MIN, <$number>::MAX);
                    // Neither an infinity nor what becomes one.
                    let value = text.parse().ok().filter(|value| (lowest..=highest).contains(value));
                    value.map(Number::from).ok_or_else(|| format!("{lowest:?} to {highest:?}"))
                })*
            }
        };
    }
    let bound = parse! {
        F32 f32, F16 f16, BF16 bf16, F64 f64, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64,
    };
    Ok(bound.map_err(|range| format!("--{name}: {text:?} is no {dtype}; give a number from {range}"))?)
}

fn number<T: FromStr>(options: &Options, name: &str, default: T) -> Result<T> {
    let Some(text) = options.get(name) else { return Ok(default) };
    let kind = std::any::type_name::<T>();
    Ok(text
        .parse()
        .map_err(|_| format!("--{name}: {text:?} is no {kind}; give a number such as -1.5 or 1e-3"))?)
}
