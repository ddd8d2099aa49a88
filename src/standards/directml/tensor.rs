//! Tensors as `DirectML` describes them.

use crate::{DType, Error, Layout};

/// `DML_TENSOR_DESC` of a buffer tensor (`DML_BUFFER_TENSOR_DESC`).
///
/// ```
/// # use wgpu_clamp::{DType, standards::directml::TensorDesc};
/// // One row of three bytes, used for both rows.
/// let desc = TensorDesc { dtype: DType::U8, sizes: &[1, 1, 2, 3], strides: Some(&[0, 0, 0, 1]) };
/// assert_eq!(desc.layout()?.addresses().collect::<Vec<_>>(), [0, 1, 2, 0, 1, 2]);
/// assert_eq!(desc.total_tensor_size_in_bytes()?, 4);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorDesc<'a> {
    /// `DataType`.
    pub dtype: DType,
    /// `Sizes`, in elements; their number is `DimensionCount`. `DirectML` refuses a size of 0. Here it makes an
    /// empty tensor, and a clamp of it succeeds without doing anything.
    pub sizes: &'a [u32],
    /// `Strides`, in elements, one per dimension. `None` is a null pointer, for a packed tensor. A stride of 0 repeats
    /// an element along that dimension, which only an input may do.
    pub strides: Option<&'a [u32]>,
}

impl TensorDesc<'_> {
    /// `TotalTensorSizeInBytes`: the smallest value that `DirectML` accepts, as `DMLCalcBufferTensorSize` computes it.
    /// It reaches up to the last element, rounded up to 4 bytes.
    ///
    /// Unlike that helper, this function wraps neither at 32 bits nor below 0 for a size of 0. It returns 0 if a size
    /// is 0, and `u64::MAX` if the result exceeds a u64.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if there is not one stride per dimension; never if a size is 0.
    ///
    /// ```
    /// # use wgpu_clamp::{DType, standards::directml::TensorDesc};
    /// let desc = TensorDesc { dtype: DType::F32, sizes: &[1, 1, 65536, 65536], strides: None };
    /// assert_eq!(desc.total_tensor_size_in_bytes()?, 4 << 32);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn total_tensor_size_in_bytes(&self) -> Result<u64, Error> {
        let elements = if self.sizes.contains(&0) {
            0
        } else if let Some(strides) = self.strides {
            if strides.len() != self.sizes.len() {
                return Err(Layout::refuse_strides(self.sizes.len(), strides.len()));
            }
            let span = |(&size, &stride): (&u32, &u32)| u128::from(size - 1) * u128::from(stride);
            self.sizes.iter().zip(strides).map(span).sum::<u128>() + 1
        } else {
            self.sizes.iter().fold(1_u128, |product, &size| product.saturating_mul(u128::from(size)))
        };
        let bytes = elements.saturating_mul(self.dtype.size() as u128);
        Ok(bytes.checked_next_multiple_of(4).and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(u64::MAX))
    }

    /// The layout of the elements, from the start of the buffer.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] above rank 8, if there is not one stride per dimension, or if the platform cannot count the
    /// elements or an element would lie beyond `isize::MAX`.
    ///
    /// ```
    /// # use wgpu_clamp::{DType, standards::directml::TensorDesc};
    /// let desc = TensorDesc { dtype: DType::F16, sizes: &[1, 3, 4, 5], strides: None };
    /// assert_eq!(desc.layout()?.strides(), [60, 20, 5, 1]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn layout(&self) -> Result<Layout, Error> {
        let shape = self.shape();
        let Some(strides) = self.strides else { return Layout::packed(&shape) };
        // On a 32-bit platform, a stride may exceed `isize::MAX`.
        let beyond = |stride: u32| Layout::refuse_addresses(0, 0, i128::from(stride));
        let strides: Vec<isize> = strides
            .iter()
            .map(|&stride| isize::try_from(stride).map_err(|_| beyond(stride)))
            .collect::<Result<_, _>>()?;
        Layout::strided(&shape, &strides, 0)
    }

    pub(super) fn shape(&self) -> Vec<usize> {
        self.sizes.iter().map(|&size| size as usize).collect()
    }
}
