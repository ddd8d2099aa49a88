//! Clamps a `.npy` file of any size into another, in bounded memory: a command for files larger than memory.
//!
//! ```text
//! cargo run --release --example clamp_npy -- --min -1 --max 1 IN.npy OUT.npy
//! cargo run --release --example clamp_npy -- --help
//! ```
//!
//! The file goes through in slices of 32 MiB. While one is clamped by [`Host::clamp_slice_in_place`], the next is
//! read and the last one written, each by a thread of its own. Elements may be any of the eleven types that `NumPy`
//! shares with this crate, in either byte order and in C or Fortran order; the output has those of the input. With
//! `--dtype` its elements are of another type, for which [`Host::clamp_slice`] does the work.
//!
//! **Memory** does not grow with the file: three slices, 96 MiB of buffers for two chunks on their way through the
//! device (32 where host and GPU share their memory), and what the driver takes. On Mesa's lavapipe 22.3.6, whose
//! buffers are memory of the process as well, the peak was 216 MiB for a file of 8 GiB of f32 and the same for one of
//! 128 MiB (maximum resident set size on Linux, 2026-11-21). Without an adapter it is the three slices. With
//! `--dtype` there is a second slice for each of the three.
//!
//! **The output appears under its name only when it is complete.** Until then it is a temporary file beside it,
//! named `.OUT.npy.` and six letters and `.part`, which a run that fails removes. A run that is killed, by Ctrl-C
//! too, may leave that file, but never a part of the output under its own name: what was there before is still
//! there. So input and output may be the same file, unless `--dtype` would leave it with another dtype.
//!
//! **Against `numpy.clip(x, min, max)`**: without other options than `--min` and `--max` the results are the same bits,
//! NaN elements and signs of zeros included, save in two cases. Where min > max, `NumPy` makes every element max,
//! which is `--order max` here. A bound that is NaN makes every element of `NumPy`'s NaN; here it replaces nothing.
//!
//! On a machine that has no GPU and no software driver, the CPU reference does the work, slowly; the output says so.

mod args;
mod npy;
mod operator;
mod output;
mod stream;
mod values;

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use args::Options;
use half::f16;
use indicatif::{BinaryBytes, ProgressBar, ProgressStyle};
use npy::Header;
use output::Output;
use stream::Slice;
use wgpu_clamp::{Clamp, DType, Element, Error, Host, reference};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    let result = match args::parse(lexopt::Parser::from_env()) {
        Ok(Some(options)) => run(&options),
        Ok(None) => {
            say(&args::help());
            Ok(())
        }
        Err(error) => Err(format!("{error} (--help lists the options)").into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Unlike `eprintln`, this does not panic where nobody listens.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let name = options.input.display().to_string();
    let (mut input, length) = open(&options.input).map_err(|error| format!("cannot read {name}: {error}"))?;
    let header = Header::read(&mut input).map_err(|error| format!("{name}: {error}"))?;
    header.check_length(length).map_err(|error| format!("{name}: {error}"))?;
    let clamp = options.operator.clamp(header.dtype)?;
    let result = header.with_dtype(clamp.dtype())?;
    if clamp.converts() && is_one_file(&options.input, &options.output) {
        let (from, to) = (clamp.source(), clamp.dtype());
        return Err(
            format!("--dtype: {name} is {from} and would become {to}; give OUTPUT another name").into()
        );
    }
    let mut output = Output::create(&options.output)?;
    output.file().write_all(&result.to_bytes())?;

    let tell = |line: &str| {
        if !options.quiet {
            say(line);
        }
    };
    tell(&format!("{name}: {header}"));
    let host = if header.elements == 0 { None } else { device(&tell)? };
    let bar = progress_bar(result.bytes, options.quiet);
    let job = Job { input, name, header: &header, clamp, host: host.as_ref(), bar: &bar };
    let streamed = job.run(&mut output);
    bar.finish_and_clear();
    streamed?;
    // The input is closed by now: Windows does not let an open file be replaced.
    let path = output.finish()?;
    let (size, time) = (BinaryBytes(result.bytes), start.elapsed());
    let of = if clamp.converts() { format!(" of {}", clamp.dtype()) } else { String::new() };
    tell(&format!("{}: {} elements{of}, {size}, in {time:.1?}", path.display(), header.elements));
    // The process ends here. A driver that is unloaded just before may leave an exit handler behind that is no longer
    // there: seen with Mesa 22.3 on a busy machine, once in a hundred runs.
    std::mem::forget(host);
    Ok(())
}

/// One line for the user. A pipe that nobody reads any more is no reason to stop.
fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// The input and, if it is a file, its length in bytes.
fn open(path: &Path) -> Result<(Box<dyn Read + Send>, Option<u64>)> {
    if path == "-" {
        return Ok((Box::new(io::stdin()), None));
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err("it is a directory".into());
    }
    Ok((Box::new(file), metadata.is_file().then_some(metadata.len())))
}

/// Whether both paths lead to a file that is there.
fn is_one_file(input: &Path, output: &Path) -> bool {
    let [input, output] = [input, output].map(|path| path.canonicalize().ok());
    input.is_some() && input == output
}

/// A device, or `None` on a machine that has none: the CPU reference does the work there.
fn device(tell: &impl Fn(&str)) -> Result<Option<Host>> {
    match Host::open_blocking() {
        Ok(host) => {
            tell(&format!("adapter: {}", host.adapter()));
            Ok(Some(host))
        }
        Err(error @ (Error::NoAdapter { .. } | Error::NoDevice { .. })) => {
            tell(&format!("No GPU can be used, so the CPU reference does the work instead ({error})."));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// On standard error, and only where that is a terminal.
fn progress_bar(bytes: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let style = "{wide_bar} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left";
    let style = ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(bytes).with_style(style)
}

/// What the threads need to know.
struct Job<'a> {
    input: Box<dyn Read + Send>,
    name: String,
    header: &'a Header,
    clamp: Clamp,
    host: Option<&'a Host>,
    bar: &'a ProgressBar,
}

impl Job<'_> {
    /// By the types of source and destination.
    fn run(self, output: &mut Output) -> Result<()> {
        match (self.clamp.source(), self.clamp.converts()) {
            (DType::F32, false) => self.in_place::<f32>(output),
            (DType::F16, false) => self.in_place::<f16>(output),
            (DType::F64, _) => self.in_place::<f64>(output),
            (DType::I8, false) => self.in_place::<i8>(output),
            (DType::I16, false) => self.in_place::<i16>(output),
            (DType::I32, _) => self.in_place::<i32>(output),
            (DType::I64, _) => self.in_place::<i64>(output),
            (DType::U8, false) => self.in_place::<u8>(output),
            (DType::U16, false) => self.in_place::<u16>(output),
            (DType::U32, _) => self.in_place::<u32>(output),
            (DType::U64, _) => self.in_place::<u64>(output),
            (DType::F32, true) => self.convert_from::<f32>(output),
            (DType::F16, true) => self.convert_from::<f16>(output),
            (DType::I8, true) => self.convert_from::<i8>(output),
            (DType::I16, true) => self.convert_from::<i16>(output),
            (DType::U8, true) => self.convert_from::<u8>(output),
            (DType::U16, true) => self.convert_from::<u16>(output),
            (DType::BF16, _) => Err("NumPy has no bf16".into()),
        }
    }

    fn convert_from<S: Element>(self, output: &mut Output) -> Result<()> {
        match self.clamp.dtype() {
            DType::F32 => self.convert::<S, f32>(output),
            DType::F16 => self.convert::<S, f16>(output),
            DType::I8 => self.convert::<S, i8>(output),
            DType::I16 => self.convert::<S, i16>(output),
            DType::U8 => self.convert::<S, u8>(output),
            DType::U16 => self.convert::<S, u16>(output),
            dtype => Err(format!("--dtype: {dtype} is no dtype of a file that converts").into()),
        }
    }

    fn in_place<T: Element>(self, output: &mut Output) -> Result<()> {
        let (clamp, host, mut scratch) = (self.clamp, self.host, Vec::new());
        self.stream(output, |slice: &mut Vec<T>| match host {
            Some(host) => Ok(host.clamp_slice_in_place(&clamp, slice).run_blocking()?),
            None => clamp_here(&clamp, slice, &mut scratch),
        })
    }

    fn convert<S: Element, T: Element>(self, output: &mut Output) -> Result<()> {
        let (clamp, host) = (self.clamp, self.host);
        self.stream(output, |(src, dst): &mut (Vec<S>, Vec<T>)| {
            dst.resize(src.len(), T::zeroed());
            match host {
                Some(host) => Ok(host.clamp_slice(&clamp, src, dst).run_blocking()?),
                None => Ok(reference::clamp_slice(&clamp, src, dst)?),
            }
        })
    }

    fn stream<B: Slice>(self, output: &mut Output, clamp: impl FnMut(&mut B) -> Result<()>) -> Result<()> {
        let Self { input, name, header, bar, .. } = self;
        let swap = header.big_endian != cfg!(target_endian = "big");
        let reader = stream::Reader { input, name, swap };
        let writer = stream::Writer { output, swap, bar };
        stream::run(reader, writer, header.elements, clamp)
    }
}

/// As the GPU does it, with the reference. That takes no slice in place, hence `scratch`.
fn clamp_here<T: Element>(clamp: &Clamp, slice: &mut [T], scratch: &mut Vec<T>) -> Result<()> {
    for piece in slice.chunks_mut(1 << 12) {
        scratch.clear();
        scratch.extend_from_slice(piece);
        reference::clamp_slice(clamp, scratch, piece)?;
    }
    Ok(())
}
