//! Bounds on the GPU: a minimum or maximum that a kernel has computed, read when the dispatch runs.
//!
//! [`Number::OnGpu`] is one element in a buffer, given with [`Operands::with_min`] and [`Operands::with_max`]. Nothing
//! comes back to the host. The same rules hold for whatever is found there: where Min > Max the
//! [order](crate::Order) decides, and a NaN never replaces anything.
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
//! - A slot is a view of one element of the clamp's dtype, whatever its shape. It may lie in the buffer of `src` or
//!   `dst`, but not in the output.
//! - A prepared clamp can be recorded in every frame: the value is read anew each time. The kernel that writes it may be in
//!   the same pass, before the clamp; no barrier is needed.
//! - It costs one dispatch more, of one invocation. On Mesa's llvmpipe by GL that takes 40 µs; lavapipe, by Vulkan, makes the
//!   shader anew each time, which takes 1.2 ms (2026-11-22; not measured on a GPU). Where that counts, have the kernel that
//!   computes the bound apply it.
//! - [`Clamps::along`](crate::Clamps::along) takes values only.
//! - The CPU cannot read a slot: functions of [`reference`](mod@crate::reference) and [`verify`](crate::verify) that
//!   return a `Result` refuse such a bound with [`Error::Argument`], [`reference::element`] and [`reference::allowed`]
//!   take it as absent. Give them the value by [`Clamp::with_bounds`]. [`Host::clamp_slice`](crate::Host::clamp_slice) and
//!   its kin take no slots either, and refuse it likewise.
//!
//! ONNX Clip takes its bounds as inputs from opset 11 on; [`Clamp::onnx`] takes [`Number::OnGpu`] for them.
//!
//! [`Number::OnGpu`]: crate::Number::OnGpu
//! [`Operands::with_min`]: crate::Operands::with_min
//! [`Operands::with_max`]: crate::Operands::with_max
//! [`Error::Argument`]: crate::Error::Argument
//! [`reference::element`]: crate::reference::element
//! [`reference::allowed`]: crate::reference::allowed
//! [`Clamp::with_bounds`]: crate::Clamp::with_bounds
//! [`Clamp::onnx`]: crate::Clamp::onnx
