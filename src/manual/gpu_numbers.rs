//! Bounds, scales and biases that a kernel has computed, read when the dispatch runs.
//!
//! Each of Min, Max, scale and bias may be [`Number::OnGpu`]. Its *slot*, a view of the number in a buffer, is given by
//! [`Operands::with_min`], [`with_max`], [`with_scale`] or [`with_bias`]. The number has the same effect as a value: if
//! Min > Max the [order](crate::Order) decides, and a NaN bound replaces nothing.
//!
//! ```no_run
//! use wgpu_clamp::{Clamp, Clamper, Error, Layout, Number, Operands, View, wgpu};
//!
//! /// Gradients, cut at what a kernel of the program has left in element 3 of `statistics`, both as f32.
//! fn clip(
//!     clamper: &Clamper,
//!     encoder: &mut wgpu::CommandEncoder,
//!     gradients: &wgpu::Buffer, // STORAGE
//!     statistics: &wgpu::Buffer, // STORAGE
//! ) -> Result<(), Error> {
//!     let least = Clamp::at_least(-1.0_f32);
//!     let clamp = least.with_bounds(least.min(), Number::OnGpu)?;
//!     let all = View::of::<f32>(gradients, Layout::packed(&[1 << 20])?);
//!     let most = View::of::<f32>(statistics, Layout::packed_at(&[], 3)?);
//!     clamper.encode(encoder, &clamp, Operands::in_place(all).with_max(most))
//! }
//! ```
//!
//! - A slot is a view of one element. With [`Clamps::slots_along`] it may have an element for each index of an axis: shape
//!   `[extent]`, or a shape that broadcasts to the output's, as `[1, extent, 1, 1]`; any stride. Numbers that are not on the GPU are the same for all indices. See
//!   [`quantization`](super::quantization) for an example; [`Clamps::along`] takes values only.
//! - A dispatch before the clamp's own copies the numbers into a table of 16 to 80 bytes per index, which one binding must hold; see
//!   [`Clamps`].
//! - A bound for each element of a packed tensor: view tensor and slot as one axis, `[n]`, and take [`Clamps::slots_along`] of
//!   axis 0. This is slow, since each element is a channel: 1 million elements of F32 take 352 ms, with one bound for all 2
//!   (lavapipe, 2026-11-28; not measured on a GPU). A binding of 128 MiB holds the table of 8 million.
//! - Slots of bounds have the clamp's dtype, any of the twelve. Slots of scale and bias are F32; the clamp's dtype must
//!   then be F32, F16, BF16, U8, I8, U16 or I16.
//! - A slot may lie in the buffer of `src` or `dst`, but not in the output.
//! - If a scale or bias is NaN or infinite, each element except a NaN becomes the canonical quiet NaN, which then meets
//!   the [NaN rule](crate::NanRule). An integer dtype treats it as a [converted](super::conversion) NaN.
//! - A recorded clamp reads its numbers anew each time. The kernel that writes them may come before it in the same pass, without a
//!   barrier.
//! - Reading takes one more dispatch, with an invocation per index; it takes two for all four numbers, and more where the
//!   elements of a slot span more than a binding. Steps between integers are slower than with values: I32 to I8 reaches 0.4 of
//!   the speed with values for a scale per row, and 0.75 for one per column (lavapipe, 2026-11-24; not measured on a GPU).
//! - The CPU cannot read a slot: [`reference`](mod@crate::reference) and [`verify`] refuse such a number, and so does
//!   [`Host::clamp_slice`].
//!
//! [`with_max`]: crate::Operands::with_max
//! [`with_scale`]: crate::Operands::with_scale
//! [`with_bias`]: crate::Operands::with_bias

#[cfg(doc)]
use crate::{Clamp, Clamps, Error, Host, Number, Operands, verify};
