//! Numbers on the GPU: bounds, scales and biases that a kernel has computed, read when the dispatch runs.
//!
//! Each of Min, Max, scale and bias may be [`Number::OnGpu`]: the clamp says which, and the operands say where it lies, by
//! [`Operands::with_min`], [`with_max`], [`with_scale`] and [`with_bias`]. Nothing comes back to the host. What a dispatch finds
//! counts as the value would: where Min > Max the [order](crate::Order) decides, and a bound that is NaN replaces nothing.
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
//! - A slot is a view of one element, whatever its shape. With [`Clamps::slots_along`] it may have an element for each index
//!   of an axis: then its shape is `[extent]`, and its stride may be any, 0 too. Numbers that are not on the GPU are the same
//!   for all indices. [`quantization`](super::quantization) has an example.
//! - Slots of bounds are of the clamp's dtype, slots of scale and bias are of F32. All twelve dtypes take bounds from slots. Scale
//!   and bias go to F32, F16, BF16, U8, I8, U16 and I16, from any dtype that converts; to others give a value.
//! - A slot may lie in the buffer of `src` or `dst`, but no byte of it in the output.
//! - Where a scale or bias is found to be NaN or infinite, each element that is no NaN becomes the canonical quiet NaN, which
//!   then meets the [NaN rule](crate::NanRule); in an integer it counts as a NaN that is [converted](super::conversion).
//! - A prepared clamp can be recorded in every frame: numbers are read anew each time. The kernel that writes them may be in
//!   the same pass, before the clamp; no barrier is needed.
//! - It costs one dispatch more, of an invocation for each index; two if all four numbers are on the GPU, and more where
//!   one does not reach all windows or channels of a large tensor. Between integers
//!   the step is slower than with values, for which the host finds a shorter one: to I8 from I32, 0.4 of the speed with a
//!   scale per row and 0.75 with one per column (lavapipe, 2026-11-24; not measured on a GPU).
//! - [`Clamps::along`] takes values only.
//! - The CPU cannot read a slot: functions of [`reference`](mod@crate::reference) and [`verify`](crate::verify) that
//!   return a `Result` refuse such a number with [`Error::Argument`], [`reference::element`] and [`reference::allowed`]
//!   take a bound as absent, and scale and bias both as absent where one is there. Give them the values. [`Host::clamp_slice`](crate::Host::clamp_slice) and its kin take no slots either.
//!
//! ONNX Clip takes its bounds as inputs from opset 11 on; [`Clamp::onnx`] takes [`Number::OnGpu`] for them.
//!
//! [`Number::OnGpu`]: crate::Number::OnGpu
//! [`Operands::with_min`]: crate::Operands::with_min
//! [`with_max`]: crate::Operands::with_max
//! [`with_scale`]: crate::Operands::with_scale
//! [`with_bias`]: crate::Operands::with_bias
//! [`Clamps::slots_along`]: crate::Clamps::slots_along
//! [`Clamps::along`]: crate::Clamps::along
//! [`Error::Argument`]: crate::Error::Argument
//! [`reference::element`]: crate::reference::element
//! [`reference::allowed`]: crate::reference::allowed
//! [`Clamp::onnx`]: crate::Clamp::onnx
