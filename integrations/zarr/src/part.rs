//! Clamps the chunks of one part, several at a time.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use wgpu_clamp::{Clamps, Host};
use zarrs::array::{Array, ArrayBytes, ArrayMetadata, CodecOptions, unravel_index};
use zarrs::filesystem::FilesystemStore;

use crate::Result;
use crate::args::{Options, Share};
use crate::channels::Channels;
use crate::output::{self, Output};

/// The most device memory of the library for a slice, in bytes: see `ClampSlice`.
const STAGES: u64 = 144 << 20;

/// A part of the work.
pub struct Part<'a> {
    input: &'a Array<FilesystemStore>,
    channels: &'a Channels,
    output: &'a Output,
    share: Share,
    /// Chunks of the whole array.
    chunks: u64,
    /// Chunks of this part.
    count: u64,
    jobs: usize,
    /// Bytes of the largest chunk, of IN and of OUT.
    largest: [u64; 2],
    quiet: bool,
    codecs: CodecOptions,
}

/// What happened to a chunk.
#[derive(Clone, Copy)]
enum Outcome {
    Written,
    /// OUT had the chunk before.
    There,
    /// IN lacks the chunk, so OUT does too.
    Absent,
}

/// The number of chunks with each outcome.
#[derive(Debug, Default)]
pub struct Done([u64; 3]);

impl<'a> Part<'a> {
    pub fn new(
        input: &'a Array<FilesystemStore>,
        channels: &'a Channels,
        output: &'a Output,
        options: &Options,
    ) -> Result<Self> {
        let grid = input.chunk_grid_shape();
        let product = grid.iter().try_fold(1_u64, |product, &extent| product.checked_mul(extent));
        let chunks = if grid.contains(&0) { Some(0) } else { product }
            .ok_or_else(|| format!("IN: its grid of {grid:?} chunks has more than can be counted"))?;
        let Share { index, count } = options.part;
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let jobs = options.jobs.map_or_else(cores, usize::from);
        let of_this = (chunks + count as u64 - 1 - index as u64) / count as u64;
        let source = crate::types::dtype(input.data_type())?;
        let elements = largest(input)?;
        Ok(Self {
            input,
            channels,
            output,
            share: options.part,
            chunks,
            count: of_this,
            jobs: jobs.min(usize::try_from(of_this).unwrap_or(jobs)).max(1),
            largest: [source, output.dtype()?].map(|dtype| elements.saturating_mul(dtype.size() as u64)),
            quiet: options.quiet,
            // Jobs run at the same time, so a codec needs no threads.
            codecs: CodecOptions::default().with_concurrent_target(1),
        })
    }

    /// Bytes of host memory for chunks. A job holds a chunk as it is read and as it is written, encoded and decoded.
    /// zarrs keeps some bytes for each chunk that it has looked for.
    pub fn memory(&self) -> u64 {
        const LOOKED_FOR: u64 = 256;
        let [source, result] = self.largest;
        let chunks = (self.jobs as u64).saturating_mul(source.saturating_add(result).saturating_mul(2));
        chunks.saturating_add(self.count.saturating_mul(LOOKED_FOR))
    }

    /// Bytes of device memory.
    pub const fn device_memory(&self) -> u64 {
        self.jobs as u64 * STAGES
    }

    /// Reads, clamps and writes the chunks that OUT lacks. After an error, other jobs finish their chunks and begin no
    /// others.
    pub fn run(&self, host: &Host) -> Result<Done> {
        let (next, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        let done = Mutex::new(Done::default());
        let bar = if self.quiet { ProgressBar::hidden() } else { ProgressBar::new(self.count) };
        bar.set_style(ProgressStyle::with_template("{bar:40} {pos} of {len} chunks, {eta} left")?);
        let job = || -> Result<()> {
            while !stopped.load(Ordering::Relaxed) {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= self.count {
                    break;
                }
                let chunk = self.chunk(n);
                let outcome = self.one(host, &chunk).map_err(|error| {
                    stopped.store(true, Ordering::Relaxed);
                    format!("chunk {chunk:?}: {error}")
                })?;
                let Done(counts) = &mut *done.lock().unwrap_or_else(PoisonError::into_inner);
                counts[outcome as usize] += 1;
                bar.inc(1);
                // Without a terminal, a line for each tenth of the chunks.
                let n: u64 = counts.iter().sum();
                if !self.quiet && bar.is_hidden() && n * 10 / self.count != (n - 1) * 10 / self.count {
                    eprintln!("{n} of {} chunks", self.count);
                }
            }
            Ok(())
        };
        let results: Vec<Result<()>> = thread::scope(|scope| {
            let jobs: Vec<_> = (0..self.jobs).map(|_| scope.spawn(job)).collect();
            jobs.into_iter().map(|job| job.join().unwrap_or_else(|_| Err("a job panicked".into()))).collect()
        });
        bar.finish_and_clear();
        results.into_iter().collect::<Result<()>>()?;
        Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The indices of the `n`-th chunk of this part. Neighbouring chunks go to different parts, to make parts alike.
    fn chunk(&self, n: u64) -> Vec<u64> {
        let index = n * self.share.count as u64 + self.share.index as u64;
        unravel_index(index, self.input.chunk_grid_shape()).expect("it is less than the number of chunks")
    }

    fn one(&self, host: &Host, chunk: &[u64]) -> Result<Outcome> {
        if self.output.has(chunk)? {
            return Ok(Outcome::There);
        }
        let found = self.input.retrieve_chunk_if_exists_opt::<ArrayBytes>(chunk, &self.codecs)?;
        let bytes = match found {
            Some(bytes) => bytes,
            None if self.channels.of_all(output::bits(self.input.fill_value())).is_some() => {
                return Ok(Outcome::Absent);
            }
            None => self.input.retrieve_chunk_opt::<ArrayBytes>(chunk, &self.codecs)?,
        };
        let bytes = self.clamp(host, chunk, bytes.into_fixed()?.into_owned())?;
        self.output.store(chunk, bytes, &self.codecs)?;
        Ok(Outcome::Written)
    }

    /// The elements of a chunk, clamped.
    fn clamp(&self, host: &Host, chunk: &[u64], mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let dims = self.input.chunk_shape_usize(chunk)?;
        let elements: usize = dims.iter().product();
        let (list, shape);
        let (clamps, shape): (Clamps, &[usize]) = match self.channels.axis {
            None => ((&self.channels.list[0]).into(), &[elements]),
            Some(axis) => {
                list = self.channels.of_chunk(self.input.chunk_origin(chunk)?[axis], dims[axis]);
                // Three dimensions, whatever the rank: those before the axis as one, the axis, those behind it as one.
                shape = [dims[..axis].iter().product(), dims[axis], dims[axis + 1..].iter().product()];
                (Clamps::along(1, &list), &shape)
            }
        };
        let dtype = self.output.dtype()?;
        if bytes.len() == elements * dtype.size() {
            host.clamp_bytes_in_place(clamps, &mut bytes).with_shape(shape).run_blocking()?;
            return Ok(bytes);
        }
        let mut result = vec![0; elements * dtype.size()];
        host.clamp_bytes(clamps, &bytes, &mut result).with_shape(shape).run_blocking()?;
        Ok(result)
    }
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Share { index, count } = self.share;
        write!(f, "part {index}/{count}: {} of {} chunks", HumanCount(self.count), HumanCount(self.chunks))
    }
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([written, there, absent]) = *self;
        write!(f, "{} chunks written", HumanCount(written))?;
        for (count, what) in [(there, "there before"), (absent, "absent from IN")] {
            if count > 0 {
                write!(f, ", {} {what}", HumanCount(count))?;
            }
        }
        Ok(())
    }
}

/// The number of elements of the largest chunk. In a grid that is not regular, extents of chunks vary along each axis.
fn largest(array: &Array<FilesystemStore>) -> Result<u64> {
    let grid = array.chunk_grid_shape();
    if grid.contains(&0) {
        return Ok(0);
    }
    if matches!(array.metadata(), ArrayMetadata::V3(metadata) if metadata.chunk_grid.name() == "regular") {
        let first = array.chunk_shape(&vec![0; grid.len()])?;
        return Ok(first.iter().fold(1_u64, |elements, extent| elements.saturating_mul(extent.get())));
    }
    let mut elements = 1_u64;
    for (d, &extent) in grid.iter().enumerate() {
        let mut chunk = vec![0; grid.len()];
        let mut longest = 0;
        for index in 0..extent {
            chunk[d] = index;
            longest = longest.max(array.chunk_shape(&chunk)?[d].get());
        }
        elements = elements.saturating_mul(longest);
    }
    Ok(elements)
}
