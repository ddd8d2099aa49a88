//! Why a call was refused, and mistakes that nothing can detect.
//!
//! Arguments are checked before anything is recorded or submitted. An [`Error`] names the argument, its value and the
//! remedy. After an error of [`Clamper`] nothing was recorded.
//!
//! # What to do
//!
//! Each variant of [`Error`] calls for one reaction. The first six hold argument, value and remedy as fields or in a
//! [`Refusal`]; their messages contain all three.
//!
//! | error | reaction | frequent cause |
//! | --- | --- | --- |
//! | [`Error::Argument`] | correct the call | only one layout is permuted (see [`Layout::permute`], [`Layout::broadcast_to`]); a negative stride reaches below element 0; a list of clamps does not match its axis, or its clamps differ in more than numbers; a number on the GPU has no slot, or a slot has no such number |
//! | [`Error::DType`] | give the elements' own dtype, or convert | `Clamp::new(0.0, 6.0)` is of F64 and `Clamp::new(0, 6)` of I32: write `0.0_f32`; conversion needs [`Clamp::with_source`]; F64, I64 and U64 do not convert |
//! | [`Error::Overlap`] | use disjoint layouts, or another buffer | the destination is a broadcast or a sliding window; two views of one buffer share bytes; a conversion in place changes the element size; the search for an overlap gives up (see [layouts](super::layouts#in-place-and-two-views-of-one-buffer)) |
//! | [`Error::Buffer`] | create the buffer anew | the size is not a multiple of 4 bytes ([`Layout::required_bytes`] is); an offset counts bytes, not elements; the buffer lacks `STORAGE` |
//! | [`Error::Standard`] | reject the model, or use [`Clamp::new`], which is more general | that version of the standard lacks the dtype or the rank, takes bounds in another form, or refuses NaN or Min > Max |
//! | [`Error::Limit`] | create the device with its adapter's limits, or split the tensor | a device with `downlevel_defaults()` binds 128 MiB; neighbours lie far apart in a large buffer; millions of channels; more data than a buffer holds (see [large data](super::large_data)) |
//! | [`Error::NoDevice`] | use the [`reference`](mod@crate::reference) | no driver, or environment variables exclude it |
//! | [`Error::DeviceLost`] | open another device and create its buffers | a driver's reset, or `Device::destroy` |
//! | [`Error::OutOfMemory`] | free buffers, or use smaller tensors | |
//! | [`Error::Wgpu`] | check the buffer that the message names | it is destroyed, mapped or of another device (see [below](#what-only-wgpu-sees)); for reads, the system may lack a thread for the wait |
//! | [`Error::Stopped`], within [`Error::PartlyWritten`] | none: the program asked for it | |
//! | [`Error::PartlyWritten`] | continue after its elements, or repeat all | one of the above, in a stream of host data |
//!
//! ```
//! use wgpu_clamp::{Clamp, Layout, Limits, Plan, reference};
//!
//! let error = reference::clamp_slice_in_place(&Clamp::new(0, 6), &mut [0_u8; 8]).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "slice: u8 is not the dtype of the clamp, i32; a clamp has the dtype of its bounds (literals without a suffix are f64 \
//!      and i32), `Clamp::with_source` converts from another"
//! );
//!
//! let (src, dst) = (Layout::packed(&[480, 640])?, Layout::packed(&[640, 480])?);
//! let clamp = Clamp::new(0_u8, 6);
//! let error = Plan::new(&clamp, &src, &dst, Limits::default()).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "dst: its shape [640, 480] differs from that of src, [480, 640]; they must be equal (see `permute`, \
//!      `broadcast_to`)"
//! );
//! // A transpose: the source seen as 640 x 480.
//! assert!(Plan::new(&clamp, &src.permute(&[1, 0])?, &dst, Limits::default()).is_ok());
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! # What no check sees
//!
//! A buffer has no dtype and no shape, so these mistakes give wrong numbers and no error:
//!
//! - **Elements of another dtype** than the view states.
//! - **An offset or strides in bytes.** Layouts count elements.
//! - **A wrong layout.** [`verify::check`] compares with the reference *by the same layouts*, so it finds a wrong
//!   device, not a wrong layout. Compare the layout by `==` with one made by [`Layout::packed`], `permute` and `slice`;
//!   look at [`Layout::addresses`] of a small layout; or give `verify::check` the intended layout.
//!
//! [`Host::self_test`] tells whether the device is at fault.
//!
//! # What only wgpu sees
//!
//! | mistake | reported |
//! | --- | --- |
//! | a buffer destroyed before `prepare`, `rebind` or `encode`, or of another device | native: [`Error::Wgpu`] with wgpu's words; web: the program's error scope or the device's error handler |
//! | a buffer, or in [`Host::new`] a queue, from another `wgpu::Instance` | native: wgpu 30 panics, or uses another object instead |
//! | in [`Host::new`], a queue of another device | at each submission, in an error scope or the error handler of the queue's device. Nothing was submitted then, and reads give [`Error::Wgpu`] or zeros |
//! | a clamp recorded into an encoder or a pass of another device | at `CommandEncoder::finish`, in the error scope or the error handler of the pass's device |
//! | a buffer destroyed later, or mapped at submission | at `Queue::submit`, in the program's error scope or the device's error handler; [`Host::submit`], native: [`Error::Wgpu`] |
//! | an upload without memory in the browser | web: wgpu 30 panics, because `createBuffer` throws |
//! | a device lost or destroyed | native: [`Error::DeviceLost`] if a call of this crate can tell, else as wgpu documents; web: reads give [`Error::Wgpu`], other calls do nothing. Do not destroy a device while one thread is within a call of [`Host`], [`Tensor`] or [`ClampSlice`] and another may poll: wgpu 30 then frees mapped memory |
//!
//! If a callback of the program panics during a submission of this crate, or while a read or a stream polls, the panic
//! continues in the thread that called or awaits. A panic elsewhere does not affect reads and streams.
//!
//! wgpu's default error handler panics. On native, the crate creates its objects within its own error scopes, so the program's
//! scopes see only the program's mistakes. It installs no callback on the device.

#[cfg(doc)]
use crate::{Clamp, ClampSlice, Clamper, Error, Host, Layout, Refusal, Tensor, verify};
