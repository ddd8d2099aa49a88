//! Host memory in, host memory out.

use crate::{Clamp, Element, Error, Host, Layout, Operands, View, transfer};

/// A clamp of host memory that has not run yet; from [`Host::clamp_slice`] or
/// [`Host::clamp_slice_in_place`].
#[derive(Debug)]
#[must_use = "nothing happens before `run` or `run_blocking`"]
pub struct ClampSlice<'a, T> {
    host: &'a Host,
    clamp: Clamp,
    /// `None` in place.
    src: Option<&'a [T]>,
    dst: &'a mut [T],
}

impl<'a, T: Element> ClampSlice<'a, T> {
    pub(crate) const fn new(host: &'a Host, clamp: Clamp, src: Option<&'a [T]>, dst: &'a mut [T]) -> Self {
        Self { host, clamp, src, dst }
    }

    /// Uploads, clamps and reads back. The result is there when the future ends; after an error, or if the
    /// future is dropped, the slice is as it was.
    ///
    /// # Errors
    ///
    /// [`Error::DTypeMismatch`] if `T` is not the clamp's dtype, [`Error::Length`] if the slices differ in
    /// length, [`Error::TooLarge`] if they do not fit into one buffer of the device,
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`] or [`Error::Readback`] if the device fails.
    pub async fn run(self) -> Result<(), Error> {
        let Self { host, clamp, src, dst } = self;
        if T::DTYPE != clamp.dtype() {
            return Err(Error::DTypeMismatch {
                argument: "slice",
                expected: clamp.dtype(),
                actual: T::DTYPE,
            });
        }
        let src = src.unwrap_or(dst);
        if src.len() != dst.len() {
            return Err(Error::Length { argument: "dst", expected: src.len(), actual: dst.len() });
        }
        let layout = Layout::packed(&[src.len()])?;
        let bytes = bytemuck::cast_slice(src);
        let buffer = transfer::create(host, bytes.len() as u64, Some(bytes))?;
        host.submit(&clamp, Operands::in_place(View::new(&buffer, layout)))?;
        let size = bytes.len();
        transfer::read(host, &buffer, size, |bytes| {
            bytemuck::cast_slice_mut(dst).copy_from_slice(bytes);
        })
        .await
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
