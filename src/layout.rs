//! Where the elements of a tensor lie: shape, strides and offset.

#[cfg(feature = "ndarray")]
mod ndarray;
pub(crate) mod overlap;

use std::fmt;

use crate::{DType, Error};

/// The largest number of dimensions of a [`Layout`].
pub const MAX_RANK: usize = 8;

/// The shape, strides and offset of a tensor in a buffer.
///
/// The element with index `i` lies at `offset + Σ i[d] * strides[d]`. Strides and offset count **elements**, not
/// bytes. Strides are signed, and 0 repeats an element (broadcast). Rank 0 is a single element.
///
/// A `Layout` is inline and `Copy`. All its addresses lie between 0 and `isize::MAX`: the
/// constructors refuse anything else.
///
/// ```
/// use wgpu_clamp::Layout;
///
/// let image = Layout::packed(&[480, 640, 3])?; // interleaved RGB
/// let red = image.slice(2, 0..1)?.permute(&[2, 0, 1])?; // 1 x 480 x 640
/// assert_eq!((red.shape(), red.strides()), (&[1, 480, 640][..], &[1, 1920, 3][..]));
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
pub struct Layout {
    rank: usize,
    // Beyond the rank: extent 1, stride 0. `Eq` and `Hash` rely on it.
    shape: [usize; MAX_RANK],
    strides: [isize; MAX_RANK],
    offset: usize,
}

/// The bytes of which the rows of wgpu's copies between buffers and textures are multiples.
const PITCH: u64 = 256;

/// The components that a texel may have.
const COMPONENTS: [usize; 3] = [1, 2, 4];

/// Why a copy cannot have such rows; `None` if it can.
fn refuse_pitch(bytes: u64) -> Option<String> {
    let word = "is not a multiple of 256 (`wgpu::COPY_BYTES_PER_ROW_ALIGNMENT`)";
    (!bytes.is_multiple_of(PITCH)).then(|| format!("{bytes} {word}"))
}

impl Layout {
    /// A packed layout: row-major, without gaps, from element 0.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] above rank 8, or for too many elements to count.
    ///
    /// ```
    /// # use wgpu_clamp::Layout;
    /// assert_eq!(Layout::packed(&[2, 3, 4])?.strides(), [12, 4, 1]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn packed(shape: &[usize]) -> Result<Self, Error> {
        Self::packed_at(shape, 0)
    }

    /// A packed layout from element `offset`: for one of several tensors in a buffer, or the slot of a number.
    ///
    /// # Errors
    ///
    /// Those of [`packed`](Self::packed); [`Error::Argument`] if an element would lie beyond `isize::MAX`.
    ///
    /// ```
    /// # use wgpu_clamp::Layout;
    /// let tensor = Layout::packed_at(&[2, 3], 100)?;
    /// let second_row = tensor.slice(0, 1..2)?;
    /// assert_eq!(second_row.addresses().collect::<Vec<_>>(), [103, 104, 105]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn packed_at(shape: &[usize], offset: usize) -> Result<Self, Error> {
        let mut strides = [0; MAX_RANK];
        let strides = strides.get_mut(..shape.len()).ok_or_else(|| refuse_rank(shape.len()))?;
        // For the outer strides, an extent of 0 counts as 1. In an empty layout, a stride that overflows is 0.
        let empty = shape.contains(&0);
        let mut step = Some(1_isize);
        for (stride, &extent) in strides.iter_mut().zip(shape).rev() {
            *stride = match step {
                Some(step) => step,
                None if empty => 0,
                None => return Err(uncountable(shape)),
            };
            step = step
                .zip(isize::try_from(extent.max(1)).ok())
                .and_then(|(step, extent)| step.checked_mul(extent));
        }
        Self::strided(shape, strides, offset)
    }

    /// A layout with any strides and any offset.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] above rank 8, if `strides` and `shape` differ in length, for too many elements to count, or
    /// if an element would lie below 0 or beyond `isize::MAX`.
    ///
    /// ```
    /// # use wgpu_clamp::Layout;
    /// // Two rows of three bytes with a pitch of four, the rows from bottom to top.
    /// let rows = Layout::strided(&[2, 3], &[-4, 1], 4)?;
    /// assert_eq!(rows.addresses().collect::<Vec<_>>(), [4, 5, 6, 0, 1, 2]);
    /// let error = Layout::strided(&[2, 3], &[-4, 1], 0).unwrap_err();
    /// assert!(error.to_string().starts_with("offset: elements would lie at -4 to 2 with the offset 0;"));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn strided(shape: &[usize], strides: &[isize], offset: usize) -> Result<Self, Error> {
        Self::counted(shape, strides, offset)?.addressable()
    }

    /// The same elements without the dimensions of extent 1.
    pub(crate) fn squeezed(&self) -> Self {
        let mut squeezed = Self { rank: 0, shape: [1; MAX_RANK], strides: [0; MAX_RANK], ..*self };
        for (&extent, &stride) in self.shape().iter().zip(self.strides()).filter(|(extent, _)| **extent != 1)
        {
            (squeezed.shape[squeezed.rank], squeezed.strides[squeezed.rank]) = (extent, stride);
            squeezed.rank += 1;
        }
        squeezed
    }

    /// The components of a texture in the buffer of a copy: shape `[channels, height, width]`. `bytes_per_row` is that of the
    /// copy. `channels` counts the components of a texel, each an element of `dtype`: 4 of U8 for `Rgba8Unorm`, 4 of F16 for
    /// `Rgba16Float`. wgpu's formats have 1, 2 or 4.
    ///
    /// [`View::texel_copy`](crate::View::texel_copy) is the way back. Slice axis 0 for some of the components:
    ///
    /// ```
    /// use wgpu_clamp::{DType, Layout, wgpu};
    ///
    /// let [width, height] = [250_u32, 141];
    /// let pitch = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    /// let rgba = Layout::texels([width, height], pitch, 4, DType::U8)?;
    /// let (rgb, alpha) = (rgba.slice(0, 0..3)?, rgba.slice(0, 3..4)?);
    /// assert_eq!((rgb.shape(), rgb.strides()), (&[3, 141, 250][..], &[1, 1024, 4][..]));
    /// assert_eq!(alpha.offset(), 3);
    /// let rgb_of_bgra = rgb.flip(0)?;
    /// let batch_of_one = rgb.broadcast_to(&[1, 3, 141, 250])?;
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `channels` is not 1, 2 or 4, if `bytes_per_row` is not a multiple of 256, as wgpu's copies
    /// need it, or shorter than a row; or for too many elements to count.
    pub fn texels(
        [width, height]: [u32; 2],
        bytes_per_row: u32,
        channels: u32,
        dtype: DType,
    ) -> Result<Self, Error> {
        if !COMPONENTS.contains(&(channels as usize)) {
            return Err(Error::argument(
                "channels",
                channels.to_string(),
                "a texel of wgpu has 1, 2 or 4 components",
            ));
        }
        let needed = u128::from(width) * u128::from(channels) * dtype.size() as u128;
        let is_short = u128::from(bytes_per_row) < needed;
        let short = || is_short.then(|| format!("{bytes_per_row} is too short"));
        if let Some(value) = refuse_pitch(bytes_per_row.into()).or_else(short) {
            let padded = needed.next_multiple_of(PITCH.into());
            let remedy = format!(
                "a row of {width} texels of {channels} {dtype} takes {needed} bytes; a multiple of 256 from {padded} on is needed"
            );
            return Err(Error::argument("bytes_per_row", value, remedy));
        }
        let [width, height, channels] = [width, height, channels].map(|extent| extent as usize);
        // A multiple of 256, and so of the size.
        let row = isize::try_from(bytes_per_row as usize / dtype.size())
            .map_err(|_| uncountable(&[channels, height, width]))?;
        Self::strided(&[channels, height, width], &[1, row, channels.cast_signed()], 0)
    }

    /// The inverse of [`texels`](Self::texels), in bytes of elements of `dtype`: the offset of the first texel, and the
    /// bytes per row. The layout may leave out components, rows and columns.
    pub(crate) fn texel_rows(&self, dtype: DType) -> Result<(u64, u32), Error> {
        let refused = |value: String| {
            let remedy = "`Layout::texels` makes such a layout; a slice, or a flip of axis 0, keeps it one";
            Error::argument("view", value, remedy)
        };
        let (size, strides) = (dtype.size() as u64, self.strides());
        let [components @ .., row, texel] = strides else {
            return Err(refused(format!("{self} has no rows of texels")));
        };
        let (Ok(texel), Ok(row)) = (usize::try_from(*texel), usize::try_from(*row)) else {
            return Err(refused(format!("{self} has rows or texels that run backwards")));
        };
        let first =
            self.offset.checked_rem(texel).filter(|_| COMPONENTS.contains(&texel) && row % texel == 0);
        let within = first.is_some_and(|first| {
            let ends =
                self.shape().iter().zip(components).fold([first as i128; 2], |[low, high], (&n, &stride)| {
                    let span = (n as i128 - 1).max(0) * stride as i128;
                    [low + span.min(0), high + span.max(0)]
                });
            ends.iter().all(|end| (0..texel as i128).contains(end))
        });
        if !within {
            return Err(refused(format!("{self} has elements that lie across texels")));
        }
        let width = self.shape().last().copied().unwrap_or(1);
        if width.saturating_mul(texel) > row {
            return Err(refused(format!("{self} has {width} texels of {texel} elements in rows of {row}")));
        }
        let bytes = (row as u64).saturating_mul(size);
        let Some(pitch) = u32::try_from(bytes).ok().filter(|_| refuse_pitch(bytes).is_none()) else {
            let value = refuse_pitch(bytes).unwrap_or_else(|| format!("{bytes} exceeds u32::MAX"));
            return Err(refused(format!("its rows are {bytes} bytes apart: {value}")));
        };
        let first = (self.offset / texel * texel) as u64;
        let first = first.checked_mul(size).ok_or_else(|| {
            let value = format!("{self} begins beyond 2^64 bytes of {dtype}");
            Error::argument("view", value, "lower the offset")
        })?;
        Ok((first, pitch))
    }

    /// A layout whose number of elements fits `usize`. The addresses are not checked.
    fn counted(shape: &[usize], strides: &[isize], offset: usize) -> Result<Self, Error> {
        let rank = shape.len();
        if rank > MAX_RANK {
            return Err(refuse_rank(rank));
        }
        if strides.len() != rank {
            return Err(Self::refuse_strides(rank, strides.len()));
        }
        let mut layout = Self { rank, shape: [1; MAX_RANK], strides: [0; MAX_RANK], offset };
        layout.shape[..rank].copy_from_slice(shape);
        layout.strides[..rank].copy_from_slice(strides);
        layout.countable()
    }

    pub(crate) fn refuse_strides(rank: usize, strides: usize) -> Error {
        let value = format!("{strides} given for a shape of rank {rank}");
        Error::argument("strides", value, "one stride per dimension is needed")
    }

    pub(crate) fn refuse_addresses(offset: usize, lowest: i128, highest: i128) -> Error {
        let (argument, remedy) = match offset {
            _ if lowest < 0 => ("offset", "raise the offset, in elements, or shrink the strides"),
            0 => ("strides", "shrink them"),
            _ => ("offset", "lower the offset, in elements, or shrink the strides"),
        };
        let value = format!("elements would lie at {lowest} to {highest} with the offset {offset}");
        Error::argument(argument, value, format!("they must lie between 0 and isize::MAX: {remedy}"))
    }

    fn countable(self) -> Result<Self, Error> {
        let count = self.shape().iter().try_fold(1_usize, |n, &extent| n.checked_mul(extent));
        if count.is_none() && !self.is_empty() { Err(uncountable(self.shape())) } else { Ok(self) }
    }

    /// Returns the layout if its elements lie between 0 and `isize::MAX`.
    fn addressable(self) -> Result<Self, Error> {
        match self.ends() {
            Some((lowest, highest)) if lowest < 0 || highest > isize::MAX as i128 => {
                Err(Self::refuse_addresses(self.offset, lowest, highest))
            }
            _ => Ok(self),
        }
    }

    /// The lowest and the highest address, not checked yet; `None` if there is no element.
    fn ends(&self) -> Option<(i128, i128)> {
        if self.is_empty() {
            return None;
        }
        let (mut lowest, mut highest) = (self.offset as i128, self.offset as i128);
        for (&extent, &stride) in self.shape().iter().zip(self.strides()) {
            let span = (extent as i128 - 1) * stride as i128;
            lowest += span.min(0);
            highest += span.max(0);
        }
        Some((lowest, highest))
    }

    /// The number of dimensions, 0 to 8.
    #[must_use]
    pub const fn rank(&self) -> usize {
        self.rank
    }

    /// The extent of each dimension, in elements.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape[..self.rank]
    }

    /// The stride of each dimension: the distance between neighbours, in elements.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        &self.strides[..self.rank]
    }

    /// The address of the element with index 0 everywhere, in elements.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The number of elements: the product of the shape, 1 for rank 0.
    ///
    /// ```
    /// # use wgpu_clamp::Layout;
    /// assert_eq!(Layout::packed(&[])?.len(), 1);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        // If one extent is 0, the product of the others may overflow.
        if self.is_empty() { 0 } else { self.shape().iter().product() }
    }

    /// Whether there is no element, because a dimension has extent 0.
    ///
    /// ```
    /// # use wgpu_clamp::Layout;
    /// assert!(Layout::packed(&[3, 0])?.is_empty());
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape().contains(&0)
    }

    /// The lowest and the highest address, in elements, both inclusive; `None` if there is no element.
    ///
    /// ```
    /// # use wgpu_clamp::Layout;
    /// assert_eq!(Layout::strided(&[2, 3], &[-4, 1], 4)?.span(), Some((0, 6)));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    #[must_use]
    pub fn span(&self) -> Option<(usize, usize)> {
        // `addressable` has checked both.
        self.ends().map(|(lowest, highest)| (lowest as usize, highest as usize))
    }

    /// The address of each element, in elements, in row-major order of the indices.
    ///
    /// ```
    /// # use wgpu_clamp::Layout;
    /// let columns = Layout::packed(&[2, 3])?.permute(&[1, 0])?;
    /// assert_eq!(columns.addresses().collect::<Vec<_>>(), [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn addresses(&self) -> impl Iterator<Item = usize> + use<> {
        let layout = *self;
        let mut index = [0_usize; MAX_RANK];
        let mut address = layout.offset;
        (0..layout.len()).map(move |_| {
            let current = address;
            for d in (0..layout.rank).rev() {
                index[d] += 1;
                address = address.wrapping_add_signed(layout.strides[d]);
                if index[d] < layout.shape[d] {
                    break;
                }
                // Back to the start of this dimension, and on to the next outer one.
                let travelled = layout.strides[d].wrapping_mul(layout.shape[d].cast_signed());
                address = address.wrapping_add_signed(travelled.wrapping_neg());
                index[d] = 0;
            }
            current
        })
    }

    /// Reorders the dimensions: dimension `d` of the result is dimension `axes[d]` of this layout.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] unless `axes` holds each axis exactly once.
    ///
    /// ```
    /// # use wgpu_clamp::Layout;
    /// let planar = Layout::packed(&[480, 640, 3])?.permute(&[2, 0, 1])?;
    /// assert_eq!(planar.shape(), [3, 480, 640]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn permute(&self, axes: &[usize]) -> Result<Self, Error> {
        if axes.len() != self.rank || !(0..self.rank).all(|axis| axes.contains(&axis)) {
            let value = format!("{axes:?} is not a permutation of 0..{}", self.rank);
            return Err(Error::argument("axes", value, "each axis must appear exactly once"));
        }
        let mut permuted = *self;
        for (d, &axis) in axes.iter().enumerate() {
            permuted.shape[d] = self.shape[axis];
            permuted.strides[d] = self.strides[axis];
        }
        Ok(permuted)
    }

    /// Keeps the indices `range` of one dimension.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if there is no such dimension, or if the range does not fit it.
    ///
    /// ```
    /// # use wgpu_clamp::Layout;
    /// let crop = Layout::packed(&[480, 640])?.slice(0, 100..200)?.slice(1, 50..90)?;
    /// assert_eq!((crop.shape(), crop.offset()), (&[100, 40][..], 100 * 640 + 50));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn slice(&self, axis: usize, range: std::ops::Range<usize>) -> Result<Self, Error> {
        let extent = self.extent(axis)?;
        let std::ops::Range { start, end } = range;
        if start > end || end > extent {
            let value = format!("{start}..{end} does not fit axis {axis} of extent {extent}");
            return Err(Error::argument("range", value, "0 <= start <= end <= extent is needed"));
        }
        let mut sliced = *self;
        sliced.shape[axis] = end - start;
        if !sliced.is_empty() {
            // The new first element belongs to the old layout, so its address is in range.
            let moved = self.strides[axis].wrapping_mul(start.cast_signed());
            sliced.offset = self.offset.wrapping_add_signed(moved);
        }
        Ok(sliced)
    }

    /// Keeps every `step`-th index of one dimension, from the first on.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if there is no such dimension, or if `step` is 0.
    ///
    /// ```
    /// # use wgpu_clamp::Layout;
    /// let even = Layout::packed(&[7])?.step(0, 2)?;
    /// assert_eq!(even.addresses().collect::<Vec<_>>(), [0, 2, 4, 6]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn step(&self, axis: usize, step: usize) -> Result<Self, Error> {
        let extent = self.extent(axis)?;
        if step == 0 {
            let remedy = "a step is at least 1 (use `flip` to run backwards)";
            return Err(Error::argument("step", format!("0 on axis {axis}"), remedy));
        }
        let mut stepped = *self;
        stepped.shape[axis] = extent.div_ceil(step);
        // One element needs no stride, and the product could overflow.
        if stepped.shape[axis] > 1 {
            stepped.strides[axis] = self.strides[axis].wrapping_mul(step.cast_signed());
        }
        Ok(stepped)
    }

    /// Runs one dimension backwards.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if there is no such dimension.
    ///
    /// ```
    /// # use wgpu_clamp::Layout;
    /// let reversed = Layout::packed(&[4])?.flip(0)?;
    /// assert_eq!(reversed.addresses().collect::<Vec<_>>(), [3, 2, 1, 0]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn flip(&self, axis: usize) -> Result<Self, Error> {
        let extent = self.extent(axis)?;
        let mut flipped = *self;
        // One element is its own mirror image, and its stride may be `isize::MIN`, which has no negative.
        if extent > 1 && !self.is_empty() {
            let last = self.strides[axis].wrapping_mul((extent - 1).cast_signed());
            flipped.offset = self.offset.wrapping_add_signed(last);
            flipped.strides[axis] = -self.strides[axis];
        }
        Ok(flipped)
    }

    /// Repeats elements until the layout has `shape`, by strides of 0, as `NumPy` does. Shapes are aligned
    /// at the last dimension. A dimension repeats if its extent is 1 or it is missing.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if an extent is neither 1 nor the extent in `shape`, above rank 8, or for too many elements
    /// to count.
    ///
    /// ```
    /// # use wgpu_clamp::Layout;
    /// let row = Layout::packed(&[3])?.broadcast_to(&[2, 3])?;
    /// assert_eq!(row.addresses().collect::<Vec<_>>(), [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Self, Error> {
        let rank = shape.len();
        if rank > MAX_RANK {
            return Err(refuse_rank(rank));
        }
        let refused = || {
            let value = format!("{:?} does not broadcast to {shape:?}", self.shape());
            Error::argument("shape", value, "aligned at the last dimension, each extent must be 1 or equal")
        };
        let added = rank.checked_sub(self.rank).ok_or_else(refused)?;
        let mut broadcast = Self { rank, shape: [1; MAX_RANK], strides: [0; MAX_RANK], offset: self.offset };
        broadcast.shape[..rank].copy_from_slice(shape);
        for d in 0..self.rank {
            let (from, to) = (self.shape[d], shape[added + d]);
            if from == to {
                broadcast.strides[added + d] = self.strides[d];
            } else if from != 1 {
                return Err(refused());
            }
        }
        broadcast.countable()?.addressable()
    }

    /// The size that a buffer needs for this layout, in bytes: up to the last element, rounded up to whole
    /// 4-byte words. Gaps before and between the elements count. 0 if there is no element; `u64::MAX` if
    /// the size exceeds a u64.
    ///
    /// ```
    /// # use wgpu_clamp::{DType, Layout};
    /// assert_eq!(Layout::packed(&[5])?.required_bytes(DType::U8), 8);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    #[must_use]
    pub fn required_bytes(&self, dtype: DType) -> u64 {
        let Some((_, highest)) = self.span() else { return 0 };
        let bytes = (highest as u128 + 1) * dtype.size() as u128;
        u64::try_from(bytes.next_multiple_of(4)).unwrap_or(u64::MAX)
    }

    fn extent(&self, axis: usize) -> Result<usize, Error> {
        self.shape().get(axis).copied().ok_or_else(|| Error::axis(axis, self.rank))
    }

    /// By how many elements every index lies behind its place in `other`; `None` if the layouts differ in more than the offset.
    pub(crate) fn distance_from(&self, other: &Self) -> Option<i64> {
        let moved = Self { offset: self.offset, ..*other };
        // The offsets of elements are at most `isize::MAX`. Without elements, the place does not matter.
        let distance = || if self.is_empty() { 0 } else { self.offset as i64 - other.offset as i64 };
        (moved == *self).then(distance)
    }

    /// Whether each index has the same address in both layouts.
    pub(crate) fn same_addresses(&self, other: &Self) -> bool {
        self.shape() == other.shape()
            && (self.is_empty()
                || self.offset == other.offset
                    && (0..self.rank).all(|d| self.shape[d] == 1 || self.strides[d] == other.strides[d]))
    }
}

fn refuse_rank(rank: usize) -> Error {
    let remedy = format!("at most {MAX_RANK} dimensions are (a packed tensor is also one of one dimension)");
    Error::argument("shape", format!("rank {rank} is not supported"), remedy)
}

pub(crate) fn uncountable(shape: &[usize]) -> Error {
    let value = format!("{shape:?} has more elements than this platform can count");
    Error::argument("shape", value, "split the tensor")
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shape {:?}, strides {:?}, offset {}", self.shape(), self.strides(), self.offset)
    }
}

#[expect(clippy::missing_fields_in_debug, reason = "the rank is the length of the shape")]
impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layout")
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .field("offset", &self.offset)
            .finish()
    }
}
