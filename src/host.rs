//! A clamper with a queue: uploads, submits and reads back.

mod choice;
mod mapping;
mod open;
mod probe;
mod slice;
mod tensor;
mod transfer;

use std::fmt;

pub use slice::ClampSlice;
pub use tensor::Tensor;

use crate::gpu::scope;
use crate::{Clamper, Clamps, Element, Error, Operands};

/// A [`Clamper`] and the queue of its device, for programs whose data lies in host memory.
///
/// Cheap to clone. [`open`](Self::open) is for programs that have no device. The opened device is
/// `host.clamper().device()`.
///
/// ```no_run
/// use wgpu_clamp::{Clamp, Host};
///
/// let host = Host::open_blocking()?;
/// let mut samples = vec![-1.5_f32, 0.25, 7.0];
/// host.clamp_slice_in_place(Clamp::new(-1.0_f32, 1.0), &mut samples).run_blocking()?;
/// assert_eq!(samples, [-1.0, 0.25, 1.0]);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[derive(Clone)]
pub struct Host {
    clamper: Clamper,
    queue: wgpu::Queue,
}

impl Host {
    /// A host on the caller's device. `queue` must belong to that device, which this function cannot check. See [the
    /// manual](crate::manual::errors#what-only-wgpu-sees) for what wgpu does with another queue.
    #[must_use]
    pub fn new(clamper: &Clamper, queue: &wgpu::Queue) -> Self {
        Self { clamper: clamper.clone(), queue: queue.clone() }
    }

    /// The clamper.
    #[must_use]
    pub const fn clamper(&self) -> &Clamper {
        &self.clamper
    }

    /// The queue.
    #[must_use]
    pub const fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Records one clamp and submits it.
    ///
    /// # Errors
    ///
    /// Those of [`Clamper::prepare`], before anything is submitted. [`Error::Wgpu`] with wgpu's message if wgpu refuses
    /// the submission because a buffer is mapped or destroyed; [`Error::DeviceLost`] if the device is lost (native
    /// only).
    ///
    /// ```no_run
    /// # use wgpu_clamp::{Clamp, Host, Operands, Tensor};
    /// # let host = Host::open_blocking()?;
    /// let tensor = Tensor::upload(&host, &[2, 2], &[1_u8, 2, 3, 250])?;
    /// host.submit(Clamp::at_most(200_u8), Operands::in_place(tensor.view()))?;
    /// assert_eq!(tensor.read_blocking::<u8>()?, [1, 2, 3, 200]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn submit<'c>(
        &self,
        clamps: impl Into<Clamps<'c>>,
        operands: Operands<'_>,
    ) -> Result<wgpu::SubmissionIndex, Error> {
        let device = self.clamper.device();
        let prepared = self.clamper.prepare(clamps, operands).map_err(|error| scope::blame(device, error))?;
        scope::catch(device, || {
            let mut encoder = device
                .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("wgpu-clamp submit") });
            prepared.encode(&mut encoder);
            self.queue.submit([encoder.finish()])
        })
    }

    /// Clamps a slice of host memory into another of the same length. `src` has elements of the clamp's source dtype,
    /// `dst` of its dtype. Literals need their types, as in `[0_i64; 3]`. Nothing happens before
    /// [`ClampSlice::run`](crate::ClampSlice::run) or its blocking twin, which list the errors.
    ///
    /// ```no_run
    /// # use wgpu_clamp::{Clamp, Clamps, DType, Host};
    /// # let host = Host::open_blocking()?;
    /// let mut out = [0_i64; 3];
    /// host.clamp_slice(Clamp::new(-5_i64, 5), &[-9_i64, 1, 9], &mut out).run_blocking()?;
    /// assert_eq!(out, [-5, 1, 5]);
    ///
    /// // Two pixels of three bytes to floats, each channel with a scale of its own.
    /// let channel = |scale| Clamp::unbounded(DType::F32).with_source(DType::U8)?.with_affine(scale, 0.0);
    /// let channels = [channel(1.0)?, channel(0.5)?, channel(0.25)?];
    /// let mut floats = [0.0_f32; 6];
    /// host.clamp_slice(Clamps::along(1, &channels), &[8_u8, 8, 8, 4, 4, 4], &mut floats)
    ///     .with_shape(&[2, 3])
    ///     .run_blocking()?;
    /// assert_eq!(floats[..3], [8.0, 4.0, 2.0]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn clamp_slice<'a, S: Element, T: Element>(
        &'a self,
        clamps: impl Into<Clamps<'a>>,
        src: &'a [S],
        dst: &'a mut [T],
    ) -> ClampSlice<'a> {
        ClampSlice::of_elements(self, clamps.into(), Some(src), dst)
    }

    /// As [`clamp_slice`](Self::clamp_slice), in place.
    pub fn clamp_slice_in_place<'a, T: Element>(
        &'a self,
        clamps: impl Into<Clamps<'a>>,
        slice: &'a mut [T],
    ) -> ClampSlice<'a> {
        ClampSlice::of_elements::<T, T>(self, clamps.into(), None, slice)
    }

    /// As [`clamp_slice`](Self::clamp_slice), for a program that learns the dtypes at run time. Elements are
    /// little-endian: of the clamp's source dtype in `src`, of its dtype in `dst`.
    ///
    /// ```no_run
    /// # use wgpu_clamp::{Clamp, Host, Number, Scalar};
    /// # let host = Host::open_blocking()?;
    /// let name = "float16"; // as a file tells it
    /// let zero = Scalar::from_f64(name.parse()?, 0.0)?;
    /// let relu = Clamp::unbounded(zero.dtype()).with_bounds(zero, Number::Absent)?;
    /// let mut out = [0; 4];
    /// host.clamp_bytes(&relu, &[0x00, 0xc6, 0x00, 0x46], &mut out).run_blocking()?; // -6.0 and 6.0
    /// assert_eq!(out, [0x00, 0x00, 0x00, 0x46]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn clamp_bytes<'a>(
        &'a self,
        clamps: impl Into<Clamps<'a>>,
        src: &'a [u8],
        dst: &'a mut [u8],
    ) -> ClampSlice<'a> {
        ClampSlice::of_bytes(self, clamps.into(), Some(src), dst)
    }

    /// As [`clamp_bytes`](Self::clamp_bytes), in place.
    pub fn clamp_bytes_in_place<'a>(
        &'a self,
        clamps: impl Into<Clamps<'a>>,
        slice: &'a mut [u8],
    ) -> ClampSlice<'a> {
        ClampSlice::of_bytes(self, clamps.into(), None, slice)
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("adapter", &self.description()).finish()
    }
}
