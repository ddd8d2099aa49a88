//! A packed tensor on the GPU, with its shape and dtype.

use std::fmt;

use super::transfer;
use crate::gpu::mapped;
use crate::{DType, Element, Error, Host, Layout, View};

/// A packed tensor in a buffer of its own, for programs whose data comes from host memory.
///
/// Its buffer can be used like any other: it has the usages `STORAGE`, `COPY_SRC` and `COPY_DST`.
///
/// ```no_run
/// # use wgpu_clamp::{Clamp, DType, Host, Operands, Tensor};
/// # async fn f() -> Result<(), wgpu_clamp::Error> {
/// let host = Host::open().await?;
/// let src = Tensor::upload(&host, &[2, 2], &[-1.0_f32, 0.5, 3.0, f32::NAN])?;
/// let dst = Tensor::zeros(&host, DType::F32, &[2, 2])?;
/// host.submit(&Clamp::new(0.0_f32, 1.0), Operands::new(src.view(), dst.view()))?;
/// let result = dst.read::<f32>().await?;
/// assert_eq!(result[..3], [0.0, 0.5, 1.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Tensor {
    host: Host,
    buffer: wgpu::Buffer,
    dtype: DType,
    layout: Layout,
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor").field("host", &self.host).field("view", &self.view()).finish_non_exhaustive()
    }
}

impl Tensor {
    /// A tensor with the elements `data`, row-major. `data` is copied when this returns.
    ///
    /// # Errors
    ///
    /// - [`Error::Argument`] if `data` does not hold as many elements as `shape`, above rank 8, or for too many
    ///   elements to count,
    /// - [`Error::Limit`] beyond the device's largest buffer,
    /// - [`Error::OutOfMemory`] if the device has no memory, [`Error::DeviceLost`] if it is gone.
    pub fn upload<T: Element>(host: &Host, shape: &[usize], data: &[T]) -> Result<Self, Error> {
        let layout = Layout::packed(shape)?;
        let expected = layout.len();
        if data.len() != expected {
            return Err(Error::length("data", "element", expected, data.len()));
        }
        Self::filled(host, T::DTYPE, layout, "data", bytemuck::cast_slice(data))
    }

    /// As [`upload`](Self::upload), for a program that learns the dtype at run time. Elements are little-endian.
    ///
    /// # Errors
    ///
    /// Those of [`upload`](Self::upload); lengths are counted in bytes.
    pub fn upload_bytes(host: &Host, dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<Self, Error> {
        let layout = Layout::packed(shape)?;
        let expected = layout.len().saturating_mul(dtype.size());
        if bytes.len() != expected {
            return Err(Error::length("bytes", "byte", expected, bytes.len()));
        }
        Self::filled(host, dtype, layout, "bytes", bytes)
    }

    /// A tensor with the elements `bytes`, as many as the layout needs. Errors name them `argument`.
    fn filled(
        host: &Host,
        dtype: DType,
        layout: Layout,
        argument: &'static str,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let buffer = transfer::create(host, argument, bytes.len() as u64, transfer::USAGES, true)?;
        mapped::fill(host.clamper().device(), &buffer, bytes)?;
        Ok(Self { host: host.clone(), buffer, dtype, layout })
    }

    /// A tensor of zeros. On a lost or destroyed device this may return `Ok`, since nothing is uploaded: the first use
    /// of the tensor reports the loss.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] above rank 8, or for too many elements to count; [`Error::Limit`] beyond the device's
    /// largest buffer; [`Error::OutOfMemory`] if the device has no memory.
    pub fn zeros(host: &Host, dtype: DType, shape: &[usize]) -> Result<Self, Error> {
        let layout = Layout::packed(shape)?;
        let size = layout.required_bytes(dtype);
        let buffer = transfer::create(host, "shape", size, transfer::USAGES, false)?;
        Ok(Self { host: host.clone(), buffer, dtype, layout })
    }

    /// The whole tensor as an operand.
    #[must_use]
    pub const fn view(&self) -> View<'_> {
        View::new(&self.buffer, self.dtype, self.layout)
    }

    /// The buffer. Its size is whole 4-byte words.
    #[must_use]
    pub const fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// The element type.
    #[must_use]
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The packed layout.
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Reads the elements, row-major, after all earlier submissions. The program need not poll the device.
    ///
    /// # Errors
    ///
    /// [`Error::DType`] if `T` is not the tensor's dtype; [`Error::Limit`] on wasm32 if the elements take more bytes than a
    /// `usize` counts; [`Error::OutOfMemory`], [`Error::DeviceLost`] or [`Error::Wgpu`] if the copy fails.
    pub async fn read<T: Element>(&self) -> Result<Vec<T>, Error> {
        if T::DTYPE != self.dtype {
            let value = format!("{} is not the dtype of the tensor, {}", T::DTYPE, self.dtype);
            return Err(Error::dtype("T", value, "read the tensor's own elements, or `read_bytes`"));
        }
        // Elements may need more alignment than mapped bytes have.
        transfer::read(&self.host, &self.buffer, self.size()?, bytemuck::pod_collect_to_vec).await
    }

    /// As [`read`](Self::read), for a program that learns the dtype at run time. Returns little-endian elements.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read), except [`Error::DType`].
    pub async fn read_bytes(&self) -> Result<Vec<u8>, Error> {
        transfer::read(&self.host, &self.buffer, self.size()?, <[u8]>::to_vec).await
    }

    /// The size of all elements together, in bytes.
    fn size(&self) -> Result<usize, Error> {
        let bytes = self.layout.len() as u64 * self.dtype.size() as u64;
        usize::try_from(bytes).map_err(|_| Error::Limit {
            argument: "tensor",
            needed: bytes,
            limit_name: "usize::MAX",
            limit: usize::MAX as u64,
            remedy: "read parts of it through `Tensor::view` and buffers of the program".to_owned(),
        })
    }

    /// As [`read`](Self::read), for programs without async. Not on the web, where nothing may block.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn read_blocking<T: Element>(&self) -> Result<Vec<T>, Error> {
        pollster::block_on(self.read())
    }

    /// As [`read_bytes`](Self::read_bytes), for programs without async. Not on the web, where nothing may block.
    ///
    /// # Errors
    ///
    /// Those of [`read_bytes`](Self::read_bytes).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn read_bytes_blocking(&self) -> Result<Vec<u8>, Error> {
        pollster::block_on(self.read_bytes())
    }
}
