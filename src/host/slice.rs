//! Clamps of host memory of any size: a stream of chunks through a ring of buffers.

use std::collections::VecDeque;
use std::fmt;
use std::ops::{ControlFlow, Range};

use super::mapping::{self, Arrival};
use super::transfer;
use crate::arithmetic::MOST_NUMBERS;
use crate::gpu::{adapter, mapped, scope};
use crate::{Clamp, Clamps, DType, Element, Error, Host, Layout, Operands, Prepared, View};

/// Size of a chunk on its larger side, in bytes.
const CHUNK: usize = 16 << 20;

/// Chunks in flight: one is filled, one is computed, one is read.
const RING: usize = 3;

/// A clamp of host memory that has not run yet, made by [`Host::clamp_slice`], [`Host::clamp_bytes`] or one of their
/// twins in place.
///
/// The data goes through the device in chunks of 16 MiB. Upload, dispatch and readback of neighbouring chunks overlap.
/// Besides the slices, a run takes at most 144 MiB: three buffers of 16 MiB for each of three chunks. If elements
/// change their size, a chunk has four buffers: two of up to 16 MiB and two of up to 8 MiB. With a clamp per channel, each
/// chunk takes up to 80 bytes more for each of its channels, in a table. A chunk is smaller if the device could not bind its
/// table.
///
/// Chunks are clamped where the host wrote them if host and GPU share memory (an integrated GPU or a CPU, except on
/// DX12) and the device has `MAPPABLE_PRIMARY_BUFFERS`, which [`Host::open`] asks for there. Then one buffer per chunk
/// suffices (48 MiB), or two if elements change their size (72 MiB at most).
///
/// On Mesa's lavapipe 22.3.6, where device memory belongs to the process, a run in place over 2 GiB took 144 MiB beyond
/// the slice with three buffers per chunk, and 48 MiB with one (2026-11-21).
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
pub struct ClampSlice<'a> {
    host: &'a Host,
    clamps: Clamps<'a>,
    /// `None` if the slices have one dimension.
    shape: Option<Vec<usize>>,
    /// `None` in place.
    src: Option<&'a [u8]>,
    dst: &'a mut [u8],
    /// The dtypes of the slices' Rust types, source first; `None` for bytes.
    dtypes: Option<[DType; 2]>,
    progress: Option<Progress<'a>>,
}

type Progress<'a> = Box<dyn FnMut(usize, usize) -> ControlFlow<()> + Send + 'a>;

mod sealed {
    use std::ops::ControlFlow;

    pub trait Flow {
        fn flow(self) -> ControlFlow<()>;
    }

    impl Flow for () {
        fn flow(self) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    impl Flow for ControlFlow<()> {
        fn flow(self) -> ControlFlow<()> {
            self
        }
    }
}

impl<'a> ClampSlice<'a> {
    pub(super) fn of_elements<S: Element, T: Element>(
        host: &'a Host,
        clamps: Clamps<'a>,
        src: Option<&'a [S]>,
        dst: &'a mut [T],
    ) -> Self {
        let (src, dst) = (src.map(bytemuck::cast_slice), bytemuck::cast_slice_mut(dst));
        Self { dtypes: Some([S::DTYPE, T::DTYPE]), ..Self::of_bytes(host, clamps, src, dst) }
    }

    /// A clamp of bytes that are elements of the clamp's dtypes.
    pub(super) fn of_bytes(
        host: &'a Host,
        clamps: Clamps<'a>,
        src: Option<&'a [u8]>,
        dst: &'a mut [u8],
    ) -> Self {
        Self { host, clamps, shape: None, src, dst, dtypes: None, progress: None }
    }

    /// Sets the shape of the packed tensor that the slices hold, in elements. The default is one dimension. Only
    /// [channels](crate::manual::conversion#channels) need a shape, since their axis is an axis of the shape.
    pub fn with_shape(mut self, shape: &[usize]) -> Self {
        self.shape = Some(shape.to_vec());
        self
    }

    /// Calls `progress` after each chunk with the number of elements done, from the start of the slice, and their
    /// total. `progress` returns nothing, or a [`ControlFlow`]. `Break(())` before the last chunk ends the run with
    /// [`Error::Stopped`], within [`Error::PartlyWritten`].
    ///
    /// ```no_run
    /// # use wgpu_clamp::{Clamp, Host};
    /// use std::ops::ControlFlow;
    /// use std::sync::atomic::{AtomicBool, Ordering};
    ///
    /// static STOP: AtomicBool = AtomicBool::new(false); // set by a button, or by Ctrl-C
    /// # let host = Host::open_blocking()?;
    /// let mut samples = vec![0.5_f32; 100_000_000];
    /// host.clamp_slice_in_place(&Clamp::new(-1.0_f32, 1.0), &mut samples)
    ///     .with_progress(|_, _| {
    ///         if STOP.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    ///     })
    ///     .run_blocking()?;
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn with_progress<R: sealed::Flow>(
        mut self,
        mut progress: impl FnMut(usize, usize) -> R + Send + 'a,
    ) -> Self {
        self.progress = Some(Box::new(move |done, total| progress(done, total).flow()));
        self
    }

    /// Uploads, clamps and reads back. The result is there when the future ends. If the future is dropped, the finished
    /// chunks, whose elements [`with_progress`](Self::with_progress) counts, are written; the rest is unchanged.
    ///
    /// # Errors
    ///
    /// Before anything is written:
    ///
    /// - [`Error::DType`] if the Rust type of a slice is not the clamp's dtype on that side,
    /// - [`Error::Argument`] if the slices differ in length from the shape or each other or have no whole number of elements, if
    ///   a number lies on the GPU (slices have no slots), if no packed tensor has the shape, or if the channels' clamps do not
    ///   fit it,
    /// - [`Error::Overlap`] in place, if elements of the clamp's source dtype and its dtype differ in size,
    /// - [`Error::Limit`] if the device's bindings are too small for any chunk,
    /// - [`Error::OutOfMemory`], [`Error::DeviceLost`] or [`Error::Wgpu`] if the device fails.
    ///
    /// Later, [`Error::PartlyWritten`] with an error of the device, or with [`Error::Stopped`].
    pub async fn run(self) -> Result<(), Error> {
        let shape = self.checked_shape()?;
        let device = self.host.clamper().device();
        let mut done = 0;
        self.stream(&shape, &mut done).await.map_err(|error| match (done, scope::blame(device, error)) {
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

impl fmt::Debug for ClampSlice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClampSlice")
            .field("clamps", &self.clamps)
            .field("shape", &self.shape)
            .field("in_place", &self.src.is_none())
            .finish_non_exhaustive()
    }
}

impl ClampSlice<'_> {
    /// Returns the shape, if clamps and slices fit it and each other.
    fn checked_shape(&self) -> Result<Vec<usize>, Error> {
        let Self { clamps, src, dst, .. } = self;
        let first = clamps.as_slice().first();
        let (of_src, of_dst) = if src.is_some() { ("src", "dst") } else { ("slice", "slice") };
        if let (Some(clamp), Some(dtypes)) = (first, self.dtypes) {
            clamp.check_dtypes([of_src, of_dst], dtypes)?;
        }
        // Without a clamp, the axis of the channels has extent 0, so there is no element. Slices of bytes then count as
        // U8.
        let of_slices = self.dtypes.unwrap_or([DType::U8; 2]);
        let dtypes = first.map_or(of_slices, |clamp| [clamp.source(), clamp.dtype()]);
        if src.is_none() && dtypes[0].size() != dtypes[1].size() {
            return Err(Error::in_place_sizes(of_dst, dtypes[0], dtypes[1]));
        }
        let [src_size, dst_size] = dtypes.map(DType::size);
        let shape = match &self.shape {
            Some(shape) => shape.clone(),
            None => vec![self.length(of_src, dtypes[0])?],
        };
        let elements = Layout::packed(&shape)?.len();
        clamps.check(&shape)?;
        if let Some(argument) = clamps.as_slice().iter().find_map(Clamp::number_on_gpu) {
            return Err(Error::number_on_gpu(argument));
        }
        for (argument, size, bytes) in
            [src.map(|src| (of_src, src_size, src)), Some((of_dst, dst_size, &**dst))].into_iter().flatten()
        {
            let needed = elements.saturating_mul(size);
            if bytes.len() != needed {
                // Counts slices of Rust values in elements.
                let (unit, each) = if self.dtypes.is_some() { ("element", size) } else { ("byte", 1) };
                return Err(Error::length(argument, unit, needed / each, bytes.len() / each));
            }
        }
        Ok(shape)
    }

    /// Sends all pieces through the ring. `done` counts the elements written so far, also after an error.
    async fn stream(self, shape: &[usize], done: &mut usize) -> Result<(), Error> {
        let Self { host, clamps, src, dst, mut progress, .. } = self;
        let clamps = clamps.simplified(shape);
        let Some(clamp) = clamps.as_slice().first() else { return Ok(()) };
        let [src_size, dst_size] = [clamp.source(), clamp.dtype()].map(DType::size);
        let in_bytes = |elements: &Range<usize>, size: usize| elements.start * size..elements.end * size;
        // A chunk has whole packets (16 bytes) and fits into a buffer that the device allows.
        let max_buffer_size = host.clamper().device().limits().max_buffer_size;
        let bytes = CHUNK.min(usize::try_from(max_buffer_size).unwrap_or(CHUNK));
        let most = bytes / 16 * 16 / dst_size.max(src_size);
        // The table of its channels fits into a buffer and a binding.
        let table = max_buffer_size.min(host.clamper().limits().binding_size());
        let most_channels = usize::try_from(table).unwrap_or(usize::MAX) / (4 * MOST_NUMBERS);
        let mut pieces = Pieces::new(shape, clamps.axis(), most, most_channels.max(1));
        let total = pieces.elements;
        let (mut idle, mut flights) = (None, VecDeque::with_capacity(RING));
        loop {
            while flights.len() < RING
                && let Some(piece) = pieces.next()
            {
                let mut stage = match idle.take() {
                    Some(stage) => stage,
                    None => Stage::new(host, [src_size, dst_size].map(|size| most.min(total) * size))?,
                };
                let input = &src.unwrap_or(dst)[in_bytes(&piece.elements, src_size)];
                let flight = stage.start(host, clamps, piece, input).await?;
                flights.push_back((stage, flight));
            }
            let Some((mut stage, flight)) = flights.pop_front() else { return Ok(()) };
            let elements = flight.elements.clone();
            stage.finish(host, flight, &mut dst[in_bytes(&elements, dst_size)]).await?;
            idle = Some(stage);
            *done = elements.end;
            if let Some(progress) = &mut progress
                && progress(*done, total).is_break()
                && *done < total
            {
                return Err(Error::Stopped);
            }
        }
    }

    /// The number of elements of a call without a shape.
    fn length(&self, argument: &'static str, source: DType) -> Result<usize, Error> {
        if let Some(axis) = self.clamps.axis().filter(|&axis| axis > 0) {
            let value = format!("{axis} is out of range: without a shape, axis 0 is the only one");
            return Err(Error::argument("axis", value, "give the shape with `ClampSlice::with_shape`"));
        }
        let given = self.src.map_or(self.dst.len(), <[u8]>::len);
        if given.is_multiple_of(source.size()) {
            return Ok(given / source.size());
        }
        let remedy = format!("a multiple of {}, the bytes of {source}, is needed", source.size());
        Err(Error::count(argument, "byte", given, remedy))
    }
}

/// The pieces of a packed tensor, one per chunk, in order. A row has `inner` elements of each channel. A piece has as
/// many whole rows as fit. If no row fits, or its channels are too many, it has as many whole channels of one row as
/// fit. If no channel fits, it has a part of one channel.
struct Pieces {
    channels: usize,
    /// The number of adjacent elements that belong to one channel.
    inner: usize,
    elements: usize,
    /// The most elements of a piece.
    most: usize,
    /// The most channels of a piece, at least 1.
    most_channels: usize,
    next: usize,
}

/// A part of the tensor without gaps, of shape `[rows, channels, inner]`.
struct Piece {
    elements: Range<usize>,
    /// The channels that the part covers.
    channels: Range<usize>,
    shape: [usize; 3],
}

impl Piece {
    /// Whether a clamp prepared for one piece also serves the other.
    fn is_like(&self, other: &Self) -> bool {
        (&self.channels, self.shape) == (&other.channels, other.shape)
    }
}

impl Pieces {
    /// The number of elements of `shape` must fit `usize`.
    fn new(shape: &[usize], axis: Option<usize>, most: usize, most_channels: usize) -> Self {
        // If one extent is 0, the product of the others may overflow.
        let elements = if shape.contains(&0) { 0 } else { shape.iter().product() };
        let (channels, inner) = match axis {
            Some(axis) if elements > 0 => (shape[axis], shape[axis + 1..].iter().product()),
            _ => (1, 1),
        };
        Self { channels, inner, elements, most, most_channels, next: 0 }
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let Self { channels, inner, elements, most, most_channels, next: start } = *self;
        if start == elements {
            return None;
        }
        let row = channels * inner;
        let channel = start / inner % channels;
        let (rows, channels, inner) = if row <= most && channels <= most_channels {
            ((most / row).min((elements - start) / row), 0..channels, inner)
        } else if inner <= most {
            (1, channel..channels.min(channel + (most / inner).min(most_channels)), inner)
        } else {
            (1, channel..channel + 1, most.min(inner - start % inner))
        };
        let shape = [rows, channels.len(), inner];
        self.next += shape.iter().product::<usize>();
        Some(Piece { elements: start..self.next, channels, shape })
    }
}

/// The buffers for one chunk at a time. If elements keep their size, `src` and `dst` are one buffer. If host and GPU
/// share memory, `upload` and `src` are one buffer, and so are `dst` and `download`.
struct Stage {
    upload: wgpu::Buffer,
    src: wgpu::Buffer,
    dst: wgpu::Buffer,
    download: wgpu::Buffer,
    /// The last piece and its prepared clamp. The next piece reuses the clamp if the two pieces are alike, as most are.
    prepared: Option<(Piece, Prepared)>,
    /// The submission of the last chunk, whose `download` is still mapped. `None` before the first chunk, when `upload`
    /// is still mapped from its creation.
    last: Option<wgpu::SubmissionIndex>,
}

struct Flight {
    /// The mapping of `download`, for reading.
    readable: Arrival,
    submission: wgpu::SubmissionIndex,
    elements: Range<usize>,
}

impl Stage {
    /// Creates the buffers for pieces of up to these sizes, in bytes.
    fn new(host: &Host, [src_size, dst_size]: [usize; 2]) -> Result<Self, Error> {
        use wgpu::BufferUsages as Usages;
        let create = |size, usage, mapped| transfer::create(host, "slice", size as u64, usage, mapped);
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
        Ok(Self { upload, src, dst, download, prepared: None, last: None })
    }

    /// Uploads a piece, and submits its clamp.
    async fn start(
        &mut self,
        host: &Host,
        clamps: Clamps<'_>,
        piece: Piece,
        bytes: &[u8],
    ) -> Result<Flight, Error> {
        let device = host.clamper().device();
        if let Some(last) = self.last.take() {
            scope::catch(device, || self.download.unmap())?;
            let arrival = mapping::start(device, &self.upload, wgpu::MapMode::Write)?;
            mapping::until_mapped(device, &self.upload, last, arrival).await?;
        }
        mapped::fill(device, &self.upload, bytes)?;
        let elements = piece.elements.clone();
        let (_, clamped) = match self.prepared.take() {
            Some((last, prepared)) if last.is_like(&piece) => self.prepared.insert((piece, prepared)),
            _ => {
                let prepared = self.prepare(host, clamps, &piece)?;
                self.prepared.insert((piece, prepared))
            }
        };
        let size = (bytes.len() as u64).next_multiple_of(4);
        let dst_size = (elements.len() * clamps.as_slice()[0].dtype().size()) as u64;
        let dst_size = dst_size.next_multiple_of(4);
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
        let readable = mapping::start(device, &self.download, wgpu::MapMode::Read)?;
        Ok(Flight { readable, submission, elements })
    }

    /// Prepares the clamp of a piece that lies at the start of the buffers.
    fn prepare(&self, host: &Host, clamps: Clamps<'_>, piece: &Piece) -> Result<Prepared, Error> {
        let layout = Layout::packed(&piece.shape)?;
        let list = clamps.as_slice();
        let src = View::new(&self.src, list[0].source(), layout);
        let dst = View::new(&self.dst, list[0].dtype(), layout);
        let clamps = match clamps.axis() {
            Some(_) => Clamps::along(1, &list[piece.channels.clone()]),
            None => clamps,
        };
        host.clamper().prepare(clamps, Operands::new(src, dst))
    }

    /// Waits for the started piece, and copies its elements to `bytes`. After an error, `bytes` is unchanged.
    async fn finish(&mut self, host: &Host, flight: Flight, bytes: &mut [u8]) -> Result<(), Error> {
        let Flight { readable, submission, .. } = flight;
        let device = host.clamper().device();
        mapping::until_mapped(device, &self.download, submission.clone(), readable).await?;
        mapped::read(&self.download, bytes.len(), |mapped| bytes.copy_from_slice(mapped))?;
        self.last = Some(submission);
        Ok(())
    }
}

/// Whether the host can map the buffers that the GPU computes on, at full speed. The feature alone does not tell, since
/// a discrete GPU's mapped memory lies across the bus.
fn shares_memory(device: &wgpu::Device) -> bool {
    device.features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS)
        && adapter::shares_memory(&device.adapter_info())
}
