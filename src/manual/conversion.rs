//! Conversion and channels: a camera frame to a network's input, and the network's output to a picture.
//!
//! # Conversion
//!
//! [`Clamp::with_source`] takes elements of another dtype, `max(Min, min(convert(x * scale + bias), Max))`: any two of
//! [`DType::CONVERTIBLE`], which are the nine of up to 32 bits: U8, I8, U16, I16, U32, I32, F16, BF16 and F32. Bounds, order and NaN rule are those of the
//! clamp's own dtype, which is that of the destination.
//!
//! | element | to a float | to an integer |
//! | --- | --- | --- |
//! | finite | the real number `x * scale + bias`, rounded once, ties to even, subnormals kept; ±∞ beyond the largest number | the real number, rounded by [`Rounding`], saturated |
//! | −0, no affine step | −0 | 0 |
//! | NaN | a quiet NaN of its sign, with the upper bits of its payload | 0; by [`NanRule::ToMin`] and [`NanRule::ToMax`] the lowest or highest number; then the bounds |
//! | ±∞ | ±∞, with the sign that `scale` gives it | the lowest or highest number; then the bounds |
//! | ±∞, scale ±0 | the canonical quiet NaN, then the NaN rule | as a NaN |
//!
//! That is [`Precision::Exact`], with the same bits on every device. With `Fast`, an affine step that meets a float on
//! either side is f32 arithmetic of the device, one of the [stated set](mod@crate::reference), rounded to the
//! destination as above. An I32 or U32 that is no f32 counts there as either f32 next to it. Between integers, and without
//! an affine step, `Fast` is `Exact`.
//!
//! Strides and offsets count elements of the source in `src` and of the destination in `dst`. Within one buffer,
//! whether the two share anything is decided in bytes; in place needs elements of one size.
//!
//! # Channels
//!
//! [`Clamps::along`] has one clamp for each index of an axis of the shape. It goes wherever `&clamp` does: [`Clamper`],
//! [`Host::submit`], [`Host::clamp_bytes`], [`Plan`], [`reference::apply`], [`verify::check`]. The slice at an index holds
//! what its clamp alone would give. All agree in both dtypes, order, NaN rule, precision and rounding; numbers are absent
//! or values; one clamp with [numbers on the GPU](super::gpu_numbers) for each index is [`Clamps::slots_along`]. A list of another length than the axis is an error, as is an axis that the shape does not
//! have.
//!
//! ```
//! use wgpu_clamp::{Clamp, Clamps, DType, Layout, reference};
//!
//! // A bound for each channel of two, in place; the second has none.
//! let mut pairs = [9_u8, 9, 2, 250];
//! let limits = [Clamp::at_most(5_u8), Clamp::unbounded(DType::U8)];
//! reference::apply_in_place(Clamps::along(1, &limits), &Layout::packed(&[2, 2])?, &mut pairs)?;
//! assert_eq!(pairs, [5, 9, 2, 250]);
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! # A camera frame to a network's input
//!
//! With both, and strides, one call takes a frame in and leaves a tensor: RGBA bytes with gaps between the rows to
//! planes of F16 without alpha, normalised per channel. That takes the place of a conversion, a pass from interleaved to
//! planar and one clamp per plane. It saves memory traffic and buffers, not arithmetic. It is a compute pass of one to three
//! dispatches: the pixels by whole packets, and what these leave. The example `frame_to_tensor` is
//! a whole program, from the texture on. `scale` and `bias` are f32: `Exact` is exact for these two numbers, not for the
//! formula that they were computed from. For BGRA pixels, red is byte 2 and the next channel one byte lower: strides
//! `[0, -1, 1024, 4]` and offset 2.
//!
//! ```no_run
//! use wgpu_clamp::half::f16;
//! use wgpu_clamp::{Clamp, Clamper, Clamps, DType, Error, Layout, Operands, View, wgpu};
//!
//! const MEAN: [f32; 3] = [0.485, 0.456, 0.406];
//! const DEVIATION: [f32; 3] = [0.229, 0.224, 0.225];
//!
//! /// `(x / 255 - mean) / deviation` of 250 x 141 pixels, of which wgpu's copy from a texture makes rows of 1024 bytes.
//! fn frame_to_tensor(
//!     clamper: &Clamper,
//!     encoder: &mut wgpu::CommandEncoder,
//!     pixels: &wgpu::Buffer, // u8: STORAGE and COPY_DST
//!     tensor: &wgpu::Buffer, // f16, [1, 3, 141, 250]: STORAGE
//! ) -> Result<(), Error> {
//!     // Elements of the source are bytes, and so are its strides: from plane to plane one, from row to row 1024, from
//!     // pixel to pixel four.
//!     let rgb = Layout::strided(&[1, 3, 141, 250], &[0, 1, 1024, 4], 0)?;
//!     let nchw = Layout::packed(&[1, 3, 141, 250])?;
//!     let mut channels = [Clamp::unbounded(DType::F16).with_source(DType::U8)?; 3];
//!     for (clamp, (mean, deviation)) in channels.iter_mut().zip(MEAN.into_iter().zip(DEVIATION)) {
//!         *clamp = clamp.with_affine(1.0 / (255.0 * deviation), -mean / deviation)?;
//!     }
//!     let views = Operands::new(View::of::<u8>(pixels, rgb), View::of::<f16>(tensor, nchw));
//!     clamper.encode(encoder, Clamps::along(1, &channels), views)
//! }
//! ```
//!
//! # And back: a network's output to a picture
//!
//! The same layouts with the sides exchanged. `Clamp::new(0_u8, 255)` is the clamp of the bytes; what a float becomes,
//! [`Rounding`] says, and what lies outside is saturated, never wrapped around. With `Fast`, a number near a tie may become
//! the byte beside, see [precision](super::precision). Rows that are to be copied to a texture begin at multiples of 256
//! bytes, too. Alpha is no element of `dst`, so it keeps what was there; a clamp whose bounds are equal fills it:
//! `Clamp::new(255_u8, 255)`, in place, on the layout of that channel, once for each buffer. ([`verify::check`] holds one
//! call at a time: to it, the other's bytes are stray ones.)
//!
//! What was normalised per channel comes back by the inverse, `x * (255 * deviation) + 255 * mean`. A float is then hardly
//! ever the whole number itself, and [`Rounding::TowardZero`], the default, makes 124 of 124.99. Set
//! [`Rounding::NearestEven`].
//!
//! ```
//! use wgpu_clamp::{Clamp, Clamps, DType, Layout, Rounding, reference};
//!
//! const MEAN: [f32; 3] = [0.485, 0.456, 0.406];
//! const DEVIATION: [f32; 3] = [0.229, 0.224, 0.225];
//!
//! // 256 pixels, so that each channel has each byte once, to planes of F16 and back.
//! let pixels: Vec<u8> = (0..=255).flat_map(|byte| [byte; 3]).collect();
//! let (rgb, planar) = (Layout::packed(&[256, 3])?.permute(&[1, 0])?, Layout::packed(&[3, 256])?);
//! let mut to_floats = [Clamp::unbounded(DType::F16).with_source(DType::U8)?; 3];
//! let mut to_bytes = [Clamp::new(0_u8, 255).with_source(DType::F16)?; 3];
//! for (channel, (mean, deviation)) in MEAN.into_iter().zip(DEVIATION).enumerate() {
//!     to_floats[channel] = to_floats[channel].with_affine(1.0 / (255.0 * deviation), -mean / deviation)?;
//!     to_bytes[channel] = to_bytes[channel].with_affine(255.0 * deviation, 255.0 * mean)?;
//! }
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
//! Planes from -1 to 1, as generators make them, need one clamp for all:
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
//! Numbers to 8 bits by a scale for each row or column, and accumulators of I32: [`quantization`](super::quantization).
//!
//! [`Clamp::with_source`]: crate::Clamp::with_source
//! [`DType::CONVERTIBLE`]: crate::DType::CONVERTIBLE
//! [`Rounding`]: crate::Rounding
//! [`Rounding::TowardZero`]: crate::Rounding::TowardZero
//! [`Rounding::NearestEven`]: crate::Rounding::NearestEven
//! [`NanRule::ToMin`]: crate::NanRule::ToMin
//! [`NanRule::ToMax`]: crate::NanRule::ToMax
//! [`Precision::Exact`]: crate::Precision::Exact
//! [`Clamps::along`]: crate::Clamps::along
//! [`Clamps::slots_along`]: crate::Clamps::slots_along
//! [`Clamper`]: crate::Clamper
//! [`Host::submit`]: crate::Host::submit
//! [`Host::clamp_bytes`]: crate::Host::clamp_bytes
//! [`Plan`]: crate::Plan
//! [`reference::apply`]: crate::reference::apply
//! [`verify::check`]: crate::verify::check
