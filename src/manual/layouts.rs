//! Layouts by example: crops, transposes, channels, parts of larger buffers; in place; two views of one buffer.
//!
//! A [`Layout`] is a shape, signed strides and an offset. Strides and offset count **elements**; sizes of buffers count
//! **bytes**. Element `i` lies at `offset + Σ i[d] * strides[d]`. A layout of rank 0 has one element. If an extent is
//! 0, a call does nothing and succeeds.
//!
//! - `src` and `dst` have the same shape. Their strides, offsets and element sizes may differ.
//! - Several indices of `src` may share an element; indices of `dst` may not.
//! - A buffer needs `STORAGE` usage and [`Layout::required_bytes`] bytes, rounded up to 4-byte words; `COPY_SRC` too if the program
//!   copies it to the host.
//! - Only the elements of `dst` change. Gaps, and neighbours in the same 4-byte word, keep their bits.
//! - Elements are little-endian.
//!
//! # By example
//!
//! Each function returns a new layout and moves no data.
//!
//! ```
//! use wgpu_clamp::Layout;
//!
//! let picture = Layout::packed(&[480, 640, 3])?; // rows, columns, interleaved RGB
//! let matrix = Layout::packed(&[2, 3])?;
//!
//! // A crop: rows 100 to 199, columns 50 to 249.
//! let crop = picture.slice(0, 100..200)?.slice(1, 50..250)?;
//! assert_eq!((crop.shape(), crop.strides()), (&[100, 200, 3][..], &[1920, 3, 1][..]));
//! assert_eq!(crop.offset(), 100 * 1920 + 50 * 3);
//!
//! // A transpose.
//! assert_eq!(matrix.permute(&[1, 0])?.strides(), [1, 3]);
//!
//! // Interleaved seen as planar: the axes in another order. One channel of it: a slice.
//! let planes = picture.permute(&[2, 0, 1])?;
//! let green = planes.slice(0, 1..2)?;
//! assert_eq!((green.shape(), green.strides(), green.offset()), (&[1, 480, 640][..], &[1, 1920, 3][..], 1));
//!
//! // A reversed axis: a picture upside down. Every second column.
//! assert_eq!(picture.flip(0)?.strides(), [-1920, 3, 1]);
//! assert_eq!(picture.step(1, 2)?.shape(), [480, 320, 3]);
//!
//! // A row for all rows, as NumPy broadcasts. For a source: no two indices of a destination may share an element.
//! let row = Layout::packed(&[3])?.broadcast_to(&[2, 3])?;
//! assert_eq!(row.strides(), [0, 1]);
//!
//! // A tensor inside a larger buffer: element 1000 is its first. From bytes, divide by the size of an element.
//! let part = Layout::packed_at(&[2, 3], 1000)?;
//! assert_eq!((part.offset(), part.required_bytes(wgpu_clamp::DType::F32)), (1000, 4024));
//!
//! // A texture's copy: rows of 250 RGBA pixels, 1024 bytes from row to row, as planes without alpha.
//! let frame = Layout::texels([250, 141], 1024, 4, wgpu_clamp::DType::U8)?.slice(0, 0..3)?;
//! assert_eq!(frame.span(), Some((0, 140 * 1024 + 249 * 4 + 2)));
//!
//! // BGRA pixels: red is byte 2, the next channel one byte lower. 128 x 224 in the middle, mirrored.
//! let middle = frame.flip(0)?.slice(1, 6..134)?.slice(2, 13..237)?.flip(2)?;
//! assert_eq!((middle.shape(), middle.strides()), (&[3, 128, 224][..], &[-1, 1024, -4][..]));
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! To try a layout without a GPU, [`reference::apply`] takes slices of bytes, and [`Plan::new`] tells which kernels a
//! call uses.
//!
//! ```
//! use wgpu_clamp::{Clamp, Layout, reference};
//!
//! // The middle column of a 3 x 3 picture, and nothing else.
//! let column = Layout::packed(&[3, 3])?.slice(1, 1..2)?;
//! let mut pixels = [10_u8, 20, 30, 40, 50, 60, 70, 80, 90];
//! reference::apply_in_place(&Clamp::at_most(45_u8), &column, &mut pixels)?;
//! assert_eq!(pixels, [10, 20, 30, 40, 45, 60, 70, 45, 90]);
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! A batch of tensors needs no loop: it is one more axis in front, with the distance between tensors as its stride. A
//! layout has up to [`MAX_RANK`] axes.
//!
//! # In place, and two views of one buffer
//!
//! | `src` and `dst` | |
//! | --- | --- |
//! | in two buffers | allowed |
//! | in one buffer, the same layout | in place: [`Operands::in_place`]; elements of one size |
//! | in one buffer, no byte in common | allowed |
//! | in one buffer, otherwise, such as a matrix and its transpose | [`Error::Overlap`]: use two buffers |
//!
//! A slot of a [number on the GPU](super::gpu_numbers) may lie in the buffer of `src` or `dst`, but not in the output.
//!
//! The crate decides exactly whether strided layouts share an element. Adversarial strides can exhaust the search: the
//! result is [`Error::Overlap`] with "could not decide", never a guess.
//!
//! ```
//! use wgpu_clamp::{Clamp, Error, Layout, Limits, Plan};
//!
//! let clamp = Clamp::new(16_u8, 235);
//! let picture = Layout::packed(&[480, 640, 4])?;
//! let channel = |n| picture.slice(2, n..n + 1);
//!
//! // Red to alpha of the same pixels: allowed. Moved by a row: each row but one would be read after it was written.
//! assert!(Plan::in_one_buffer(&clamp, &channel(0)?, &channel(3)?, Limits::default()).is_ok());
//! let rows = |range| picture.slice(0, range);
//! let moved = Plan::in_one_buffer(&clamp, &rows(0..479)?, &rows(1..480)?, Limits::default());
//! assert!(matches!(moved, Err(Error::Overlap(_))));
//! # Ok::<(), Error>(())
//! ```

//! # A buffer of another library
//!
//! A [`View`] takes any [`wgpu::Buffer`]: one of burn or cubecl, of a renderer, or one that wgpu imported from a handle of the
//! graphics API. What has to be true of it:
//!
//! - **Device**: it belongs to the device of the [`Clamper`], through the same instance of wgpu 30. Share the library's device and
//!   queue: `Clamper::new(&device)`.
//! - **Usage**: `STORAGE`. [`Error::Buffer`] otherwise.
//! - **Size**: whole words of 4 bytes up to the last element, see [`Layout::required_bytes`].
//! - **Offset**: tensors of a memory pool begin inside a buffer. The layout's offset counts elements, so the start is a multiple of
//!   the element's size; no other alignment is needed. [`Layout::packed_at`] and [`Layout::strided`] take it.
//!   [`Prepared::rebind`](crate::Prepared::rebind) moves a call by multiples of a binding's alignment, mostly 256 bytes.
//! - **Strides**: the library's, in elements.
//! - **Lifetime**: wgpu keeps a buffer that a submission uses. A pool must not hand the memory to another tensor before the encoder is
//!   submitted: hold the library's tensor until then.
//! - **Order**: the library's own commands come first on the queue: flush them before the submission (burn's `client.flush()`).
//!
//! `integrations/burn` of the repository does all of it.

#[cfg(doc)]
use crate::{Clamper, Error, Layout, MAX_RANK, Operands, Plan, View, reference};
