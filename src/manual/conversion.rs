//! Conversion between dtypes and clamps per channel, with two examples: a camera frame to a network's input, and a
//! network's output to a picture.
//!
//! # Conversion
//!
//! [`Clamp::with_source`] takes elements of another dtype: `max(Min, min(convert(x * scale + bias), Max))`. Any two of
//! [`DType::CONVERTIBLE`] convert: U8, I8, U16, I16, U32, I32, F16, BF16 and F32. The bounds have the clamp's own dtype,
//! which is the destination's.
//!
//! | element | to a float | to an integer |
//! | --- | --- | --- |
//! | finite | the real number `x * scale + bias`, rounded once, ties to even, subnormals kept; ±∞ beyond the largest number | the real number, rounded by [`Rounding`], saturated |
//! | −0, no affine step | −0 | 0 |
//! | NaN | a quiet NaN of its sign, with the upper bits of its payload | 0; by [`NanRule::ToMin`] and [`NanRule::ToMax`] the lowest or highest number; then the bounds |
//! | ±∞ | ±∞, with the sign that `scale` gives it | the lowest or highest number; then the bounds |
//! | ±∞, scale ±0 | the canonical quiet NaN, then the NaN rule | the same as for a NaN |
//!
//! The table states [`Precision::Exact`], which gives the same bits on every device. With `Fast`, an affine step with a
//! float on either side uses the device's f32 arithmetic. Its result is one of a [stated set](mod@crate::reference),
//! rounded as above. An I32 or U32 that is no f32 counts as either neighbouring f32. Between integers, or without an affine
//! step, `Fast` is `Exact`.
//!
//! Strides and offsets count elements of each side's own dtype. A conversion in place needs elements of one size.
//!
//! # Channels
//!
//! [`Clamps::along`] takes one clamp for each index of an axis. Pass it wherever a clamp goes: [`Clamper`],
//! [`Host::submit`], [`Host::clamp_bytes`], [`Plan`], [`reference::apply`], [`verify::check`]. All clamps must have the
//! same dtypes, order, NaN rule, precision and rounding. For [numbers on the GPU](super::gpu_numbers),
//! [`Clamps::slots_along`] takes one clamp, whose slots may have an element per index.
//!
//! ```
//! use wgpu_clamp::{Clamp, Clamps, DType, Layout, reference};
//!
//! // Two channels, in place: the first has an upper bound, the second has none.
//! let mut pairs = [9_u8, 9, 2, 250];
//! let limits = [Clamp::at_most(5_u8), Clamp::unbounded(DType::U8)];
//! reference::apply_in_place(Clamps::along(1, &limits), &Layout::packed(&[2, 2])?, &mut pairs)?;
//! assert_eq!(pairs, [5, 9, 2, 250]);
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! # A camera frame to a network's input
//!
//! One call turns RGBA bytes with padded rows into planes of F16 without alpha, normalised per channel. It replaces a
//! conversion, a pass from interleaved to planar and a clamp per plane, and takes one to three dispatches. The example
//! `frame_to_tensor` is a whole program that starts with a texture. [`Clamp::normalize`] rounds scale and bias to f32: `Exact`
//! is exact for these two numbers, not for the formula that they were computed from. In BGRA pixels red is byte 2, and each
//! next channel lies one byte lower: `rgb.flip(0)?`.
//!
//! ```no_run
//! use wgpu_clamp::half::f16;
//! use wgpu_clamp::{Clamp, Clamper, Clamps, DType, Error, Layout, Operands, View, wgpu};
//!
//! const MEAN: [f64; 3] = [0.485, 0.456, 0.406];
//! const DEVIATION: [f64; 3] = [0.229, 0.224, 0.225];
//!
//! /// `(x / 255 - mean) / deviation` of 250 x 141 pixels. wgpu's copy from a texture pads each row to 1024 bytes.
//! fn frame_to_tensor(
//!     clamper: &Clamper,
//!     encoder: &mut wgpu::CommandEncoder,
//!     pixels: &wgpu::Buffer, // u8: STORAGE and COPY_DST
//!     tensor: &wgpu::Buffer, // f16, [1, 3, 141, 250]: STORAGE
//! ) -> Result<(), Error> {
//!     // Three of four components, in rows of 1024 bytes. `View::texel_copy` gives wgpu the same.
//!     let rgb = Layout::texels([250, 141], 1024, 4, DType::U8)?.slice(0, 0..3)?;
//!     let nchw = Layout::packed(&[1, 3, 141, 250])?;
//!     let channels =
//!         Clamp::unbounded(DType::F16).with_source(DType::U8)?.normalize(255.0, MEAN, DEVIATION)?;
//!     let rgb = rgb.broadcast_to(nchw.shape())?;
//!     let views = Operands::new(View::of::<u8>(pixels, rgb), View::of::<f16>(tensor, nchw));
//!     clamper.encode(encoder, Clamps::along(1, &channels), views)
//! }
//! ```
//!
//! # And back: a network's output to a picture
//!
//! The way back exchanges the two layouts and uses `Clamp::new(0_u8, 255)` for the bytes. Floats are rounded by
//! [`Rounding`] and saturate. With `Fast`, rounding may give the neighbouring byte, see [precision](super::precision).
//! Rows for a texture begin at multiples of 256 bytes. Alpha is no element of `dst`, so it stays. To fill alpha once
//! per buffer, run `Clamp::new(255_u8, 255)` in place on alpha's layout. ([`verify::check`] checks one call: bytes that
//! the other call changes count as [stray](verify::StrayByte).)
//!
//! The inverse of a normalisation is [`Clamp::denormalize`]: `x * (255 * deviation) + 255 * mean`. Its results are rarely
//! integers, and the default [`Rounding::TowardZero`] turns 124.99 into 124. Set [`Rounding::NearestEven`].
//!
//! ```
//! use wgpu_clamp::{Clamp, Clamps, DType, Layout, Rounding, reference};
//!
//! const MEAN: [f64; 3] = [0.485, 0.456, 0.406];
//! const DEVIATION: [f64; 3] = [0.229, 0.224, 0.225];
//!
//! // 256 pixels, so that each channel has each byte once, to planes of F16 and back.
//! let pixels: Vec<u8> = (0..=255).flat_map(|byte| [byte; 3]).collect();
//! let (rgb, planar) = (Layout::packed(&[256, 3])?.permute(&[1, 0])?, Layout::packed(&[3, 256])?);
//! let to_floats = Clamp::unbounded(DType::F16).with_source(DType::U8)?.normalize(255.0, MEAN, DEVIATION)?;
//! let to_bytes = Clamp::new(0_u8, 255).with_source(DType::F16)?.denormalize(255.0, MEAN, DEVIATION)?;
//! let mut planes = [0; 2 * 768];
//! reference::apply(Clamps::along(0, &to_floats), &rgb, &pixels, &planar, &mut planes)?;
//!
//! let changed = |rounding| {
//!     let mut back = [0; 768];
//!     let to_bytes = to_bytes.map(|clamp| clamp.with_rounding(rounding));
//!     reference::apply(Clamps::along(0, &to_bytes), &planar, &planes, &rgb, &mut back)?;
//!     Ok::<_, wgpu_clamp::Error>(back.iter().zip(&pixels).filter(|(back, byte)| back != byte).count())
//! };
//! assert_eq!(changed(Rounding::TowardZero)?, 378); // of 768 bytes, each one less
//! assert_eq!(changed(Rounding::NearestEven)?, 0);
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! Planes from -1 to 1, as generators produce them, need one clamp for all channels:
//!
//! ```
//! use wgpu_clamp::{Clamp, DType, Layout, Precision, Rounding, reference};
//!
//! // Planes of f32: x * 127.5 + 127.5.
//! let to_bytes = Clamp::new(0_u8, 255)
//!     .with_source(DType::F32)?
//!     .with_affine(127.5, 127.5)?
//!     .with_rounding(Rounding::NearestEven)
//!     .with_precision(Precision::Exact);
//! let (planes, rgba) = (Layout::packed(&[3, 1, 2])?, Layout::strided(&[3, 1, 2], &[1, 8, 4], 0)?);
//! let output = [-1.0_f32, 1.0, 0.0, 0.5, 7.0, f32::NAN];
//! let src: Vec<u8> = output.iter().flat_map(|x| x.to_le_bytes()).collect();
//! let mut pixels = [0; 8];
//! reference::apply(&to_bytes, &planes, &src, &rgba, &mut pixels)?;
//! let alpha = Layout::strided(&[1, 2], &[8, 4], 3)?;
//! reference::apply_in_place(&Clamp::new(255_u8, 255), &alpha, &mut pixels)?;
//! assert_eq!(pixels, [0, 128, 255, 255, 255, 191, 0, 255]); // 127.5 is a tie, 191.25 is not
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! For 8-bit quantisation with a scale per row or column, and I32 accumulators, see [`quantization`](super::quantization).

#[cfg(doc)]
use crate::{Clamp, Clamper, Clamps, DType, Host, NanRule, Plan, Precision, Rounding, reference, verify};
