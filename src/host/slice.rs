//! Host memory of any size in, host memory out: a stream of chunks through a ring of buffers.

use std::collections::VecDeque;
use std::fmt;

use super::transfer::{self, Mapping};
use crate::gpu::{adapter, lost, mapped, scope};
use crate::{Clamp, Element, Error, Host, Layout, Operands, Prepared, View};

/// What goes through the device at a time, in bytes.
const CHUNK: usize = 16 << 20;

/// Chunks on their way at once: one is filled, one is computed, one is read.
const RING: usize = 3;

/// A clamp of host memory that has not run yet; from [`Host::clamp_slice`] or
/// [`Host::clamp_slice_in_place`].
///
/// It goes through the device in chunks of 16 MiB. Upload, dispatch and readback of neighbouring chunks overlap.
/// Beside the slices it takes 144 MiB at most, whatever their size: three buffers each for three chunks, or four
/// smaller ones where elements change their size. One buffer is enough, so 48 MiB, or two (72 MiB at most), where
/// host and GPU share their memory (an integrated GPU, or a CPU; but on DX12) and the device has
/// `MAPPABLE_PRIMARY_BUFFERS`, as [`Host::open`] gives it there: the chunks are then clamped where the host wrote
/// them. Measured with 2 GiB in place on Mesa's lavapipe 22.3.6, where device memory is memory of the process too:
/// 144 and 48 MiB above the slice (2026-11-21).
///
/// ```no_run
/// # use wgpu_clamp::{Clamp, Host};
/// # let host = Host::open_blocking()?;
/// let mut samples = vec![0.5_f32; 100_000_000];
/// host.clamp_slice_in_place(&Clamp::new(-1.0_f32, 1.0), &mut samples)
///     .with_progress(|done, total| println!("{done} of {total} elements"))
///     .run_blocking()?;
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[must_use = "nothing happens before `run` or `run_blocking`"]
pub struct ClampSlice<'a, T, S = T> {
    host: &'a Host,
    clamp: Clamp,
    /// `None` in place.
    src: Option<&'a [S]>,
    dst: &'a mut [T],
    progress: Option<Progress<'a>>,
}

type Progress<'a> = Box<dyn FnMut(usize, usize) + Send + 'a>;

impl<'a, T: Element, S: Element> ClampSlice<'a, T, S> {
    /// `src` is `None` where `S` is `T`.
    pub(crate) const fn new(host: &'a Host, clamp: Clamp, src: Option<&'a [S]>, dst: &'a mut [T]) -> Self {
        Self { host, clamp, src, dst, progress: None }
    }

    /// Calls `progress` after each chunk with the elements that are done, counted from the start of the slice,
    /// and their total.
    pub fn with_progress(mut self, progress: impl FnMut(usize, usize) + Send + 'a) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Uploads, clamps and reads back. The result is there when the future ends. If the future is dropped, what
    /// the last call of [`with_progress`](Self::with_progress)'s function said is done, and the rest is as it
    /// was.
    ///
    /// # Errors
    ///
    /// [`Error::DTypeMismatch`] if a slice is not of the clamp's source or its dtype, [`Error::Length`] if the slices
    /// differ in length, those of [`Clamper::prepare`](crate::Clamper::prepare) for a bound on the GPU, which has no
    /// slot here. [`Error::OutOfMemory`], [`Error::DeviceLost`] or [`Error::Readback`] if the device fails before
    /// anything is written, [`Error::PartlyWritten`] with one of these if it fails later.
    pub async fn run(self) -> Result<(), Error> {
        let Self { host, clamp, src, dst, mut progress } = self;
        let [of_src, of_dst] = if src.is_some() { ["src", "dst"] } else { ["slice"; 2] };
        for (argument, expected, actual) in
            [(of_src, clamp.source(), S::DTYPE), (of_dst, clamp.dtype(), T::DTYPE)]
        {
            if actual != expected {
                return Err(Error::DTypeMismatch { argument, of: "the clamp", expected, actual });
            }
        }
        if let Some(src) = src
            && src.len() != dst.len()
        {
            return Err(Error::Length {
                argument: "dst",
                unit: "elements",
                expected: src.len(),
                actual: dst.len(),
            });
        }
        let mut done = 0;
        let streamed = stream(host, &clamp, src, dst, &mut done, &mut progress).await;
        streamed.map_err(|error| match (done, lost::blame(host.clamper().device(), error)) {
            (0, error) => error,
            (_, error) => Error::PartlyWritten { valid: 0..done, source: Box::new(error) },
        })
    }

    /// As [`run`](Self::run), for programs without async. Not on the web, where nothing may block.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn run_blocking(self) -> Result<(), Error> {
        pollster::block_on(self.run())
    }
}

impl<T, S> fmt::Debug for ClampSlice<'_, T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClampSlice")
            .field("clamp", &self.clamp)
            .field("elements", &self.dst.len())
            .field("in_place", &self.src.is_none())
            .finish_non_exhaustive()
    }
}

/// `done` is how many elements of `dst` are written, from the start; also after an error.
async fn stream<T: Element, S: Element>(
    host: &Host,
    clamp: &Clamp,
    src: Option<&[S]>,
    dst: &mut [T],
    done: &mut usize,
    progress: &mut Option<Progress<'_>>,
) -> Result<(), Error> {
    let total = dst.len();
    // Whole packets, in a buffer that the device can have.
    let bytes = CHUNK.min(usize::try_from(host.clamper().device().limits().max_buffer_size).unwrap_or(CHUNK));
    let chunk = (bytes / 16 * 16 / size_of::<T>().max(size_of::<S>())).min(total);
    let mut ring: Vec<Stage> = Vec::new();
    let mut flights = VecDeque::with_capacity(RING);
    let mut next = 0;
    loop {
        while next < total && flights.len() < RING {
            let end = total.min(next + chunk);
            let stage = next / chunk % RING;
            if stage == ring.len() {
                ring.push(Stage::new(host, clamp, chunk)?);
            }
            let bytes = match src {
                Some(src) => bytemuck::cast_slice(&src[next..end]),
                None => bytemuck::cast_slice(&dst[next..end]),
            };
            flights.push_back(ring[stage].start(host, clamp, bytes, end - next).await?);
            next = end;
        }
        let Some(flight) = flights.pop_front() else {
            return Ok(());
        };
        let end = total.min(*done + chunk);
        ring[*done / chunk % RING].finish(flight, &mut dst[*done..end]).await?;
        *done = end;
        if let Some(progress) = progress {
            progress(*done, total);
        }
    }
}

/// The buffers of one chunk at a time. It is clamped in place if its elements keep their size. Where host and GPU share
/// memory, what is uploaded is the source, and what is downloaded the result.
struct Stage {
    upload: wgpu::Buffer,
    src: wgpu::Buffer,
    dst: wgpu::Buffer,
    download: wgpu::Buffer,
    /// For a chunk of full length, in elements.
    whole: (usize, Prepared),
    /// The last chunk's, after which `download` is still mapped. `None` before the first: `upload` is created mapped.
    last: Option<wgpu::SubmissionIndex>,
}

/// A chunk on its way.
struct Flight {
    /// The stage's `download`, for reading.
    readable: Mapping,
    submission: wgpu::SubmissionIndex,
}

impl Stage {
    /// For chunks of up to `len` elements.
    fn new(host: &Host, clamp: &Clamp, len: usize) -> Result<Self, Error> {
        use wgpu::BufferUsages as Usages;
        let [src_size, dst_size] = [clamp.source(), clamp.dtype()].map(|dtype| (len * dtype.size()) as u64);
        let create = |size, usage, mapped| transfer::create_buffer(host, "slice", size, usage, mapped);
        let in_place = src_size == dst_size;
        let (upload, src, dst, download) = if shares_memory(host.clamper().device()) {
            let src = create(src_size, Usages::STORAGE | Usages::MAP_WRITE | Usages::MAP_READ, true)?;
            let dst = if in_place {
                src.clone()
            } else {
                create(dst_size, Usages::STORAGE | Usages::MAP_READ, false)?
            };
            (src.clone(), src, dst.clone(), dst)
        } else {
            let src = create(src_size, transfer::USAGES, false)?;
            let dst = if in_place { src.clone() } else { create(dst_size, transfer::USAGES, false)? };
            let upload = create(src_size, Usages::MAP_WRITE | Usages::COPY_SRC, true)?;
            (upload, src, dst, create(dst_size, Usages::MAP_READ | Usages::COPY_DST, false)?)
        };
        let whole = (len, prepare(host, clamp, [&src, &dst], len)?);
        Ok(Self { upload, src, dst, download, whole, last: None })
    }

    /// Sends a chunk of `len` elements on its way.
    async fn start(&mut self, host: &Host, clamp: &Clamp, bytes: &[u8], len: usize) -> Result<Flight, Error> {
        let device = host.clamper().device();
        if let Some(last) = self.last.take() {
            scope::catch(device, || self.download.unmap())?;
            Mapping::start(device, &self.upload, wgpu::MapMode::Write, last)?.wait().await?;
        }
        mapped::fill(device, &self.upload, bytes)?;
        let tail;
        let clamped = if len == self.whole.0 {
            &self.whole.1
        } else {
            tail = prepare(host, clamp, [&self.src, &self.dst], len)?;
            &tail
        };
        let size = (bytes.len() as u64).next_multiple_of(4);
        let dst_size = ((len * clamp.dtype().size()) as u64).next_multiple_of(4);
        let submission = scope::catch(device, || {
            let mut encoder = device
                .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("wgpu-clamp chunk") });
            if self.upload != self.src {
                encoder.copy_buffer_to_buffer(&self.upload, 0, &self.src, 0, size);
            }
            clamped.encode(&mut encoder);
            if self.dst != self.download {
                encoder.copy_buffer_to_buffer(&self.dst, 0, &self.download, 0, dst_size);
            }
            host.queue().submit([encoder.finish()])
        })?;
        let readable = Mapping::start(device, &self.download, wgpu::MapMode::Read, submission.clone())?;
        Ok(Flight { readable, submission })
    }

    /// Waits for the chunk that was started, and takes its elements. After an error it has taken none.
    async fn finish<T: Element>(&mut self, flight: Flight, chunk: &mut [T]) -> Result<(), Error> {
        flight.readable.wait().await?;
        let bytes = bytemuck::cast_slice_mut(chunk);
        mapped::read(&self.download, bytes.len(), |mapped| bytes.copy_from_slice(mapped))?;
        self.last = Some(flight.submission);
        Ok(())
    }
}

/// Whether the host can map what the GPU computes on, without a copy that somebody pays for: the feature alone does not
/// say so, since a discrete GPU's mapped memory lies across its bus.
fn shares_memory(device: &wgpu::Device) -> bool {
    device.features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS)
        && adapter::shares_memory(&device.adapter_info())
}

/// The clamp of the first `len` elements.
fn prepare(host: &Host, clamp: &Clamp, buffers: [&wgpu::Buffer; 2], len: usize) -> Result<Prepared, Error> {
    let layout = Layout::packed(&[len])?;
    let [src, dst] = buffers.map(|buffer| View::new(buffer, layout));
    host.clamper().prepare(clamp, Operands::new(src, dst))
}
