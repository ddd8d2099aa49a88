//! Why a tensor was refused, and the mistakes that no handle shows.
//!
//! What a caller passes is checked before anything is recorded or submitted, and refused as an [`Error`] that names the
//! argument, its value and what would be right. After an error of [`Clamper`](crate::Clamper) nothing was recorded.
//!
//! # What to do
//!
//! Each variant of [`Error`] calls for one reaction. Of the first six, [`Refusal`](crate::Refusal) or fields hold the
//! argument, the value and the remedy, and the message has all three.
//!
//! | error | reaction | often because |
//! | --- | --- | --- |
//! | [`Error::Argument`] | correct the call | a layout is permuted on one side alone (the other needs [`Layout::permute`] too, or the source [`Layout::broadcast_to`]); a negative stride has no room below its offset; a list of clamps is not as long as its axis, or its clamps differ in more than their numbers; a number is on the GPU and has no slot, or the reverse |
//! | [`Error::DType`] | give the elements' own dtype, or convert elsewhere | `Clamp::new(0.0, 6.0)` is of F64 and `Clamp::new(0, 6)` of I32: write `0.0_f32`; from one dtype to another, [`Clamp::with_source`]; F64, I64 and U64 do not convert |
//! | [`Error::Overlap`] | disjoint layouts, or one more buffer | a broadcast or a sliding window as destination; two views of one buffer that share bytes; a conversion in place between elements of two sizes; strides that interleave in so many ways that the search gives up: see [layouts](super::layouts#in-place-and-two-views-of-one-buffer) |
//! | [`Error::Buffer`] | create the buffer anew | its size is not rounded up to 4 bytes ([`Layout::required_bytes`] is); an offset in bytes, where layouts count elements; it was created without `STORAGE` |
//! | [`Error::Standard`] | reject the model, or use [`Clamp::new`], which takes every dtype, order and NaN | that version of the standard has no such tensors, takes bounds otherwise, or refuses NaN or Min > Max |
//! | [`Error::Limit`] | create the device with its adapter's limits, or split the tensor | `wgpu::Limits::downlevel_defaults()` bind 128 MiB; neighbours lie far apart in a large buffer; hundreds of thousands of channels; more than one buffer of the device holds: see [large data](super::large_data) |
//! | [`Error::NoDevice`] | use the [`reference`](mod@crate::reference) | no driver, or none that the environment variables allow |
//! | [`Error::DeviceLost`] | open another device, and make its buffers anew | a driver's reset, or `Device::destroy` |
//! | [`Error::OutOfMemory`] | free buffers, or use smaller tensors | |
//! | [`Error::Wgpu`] | look at the buffer that the message names | it is destroyed, mapped or of another device: see [below](#what-only-wgpu-sees); where data is read, the system may lack a thread for the wait |
//! | [`Error::Stopped`], within [`Error::PartlyWritten`] | none: the program asked for it | |
//! | [`Error::PartlyWritten`] | go on after its elements, or repeat all | one of the above, in a stream of host data |
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
//! A buffer has bytes, and no dtype or shape, so these give wrong numbers and no error:
//!
//! - **Elements of another dtype** than the view says, where the sizes happen to fit.
//! - **An offset or strides in bytes**, where the buffer has room for them. Layouts count elements.
//! - **A layout that is not the one meant.** [`verify::check`] compares with the reference *by the same layouts*: it counts
//!   what differs and shows the first element, and finds a device or a kernel that is wrong, not a layout. Compare the layout
//!   by `==` with one that is made by [`Layout::packed`], `permute` and `slice`; look at [`Layout::addresses`] of a small one;
//!   or give `verify::check` the layout that was meant.
//!
//! [`Host::self_test`] tells whether the device is to blame.
//!
//! # What only wgpu sees
//!
//! | mistake | reported |
//! | --- | --- |
//! | a buffer destroyed before `prepare` or `encode`, or of another device | native: [`Error::Wgpu`] with wgpu's words; web: the program's error scope or the device's error handler |
//! | a buffer of a device from another `wgpu::Instance` | native: wgpu 30 panics, as it finds no such buffer; or not at all, as it takes one of its own for it |
//! | in [`Host::new`], a queue of another device | at each submission, in an error scope or the error handler of the queue's device. If that returns, nothing was submitted, and what is read then is [`Error::Wgpu`] or zeros |
//! | in [`Host::new`], a queue of a device from another `wgpu::Instance` | native: wgpu 30 panics at each submission; or not at all, as it takes commands of that instance for these |
//! | a clamp recorded into an encoder or a pass of another device | at `CommandEncoder::finish`, in the error scope or the error handler of the pass's device |
//! | a buffer destroyed later, or mapped at submission | at `Queue::submit`, in the program's error scope or the device's error handler; [`Host::submit`], native: [`Error::Wgpu`] |
//! | an upload for which the browser has no memory to map | web: wgpu 30 panics, as `createBuffer` throws |
//! | a device lost or destroyed | native: [`Error::DeviceLost`] where a call of this crate can tell, else as wgpu documents it; web: [`Error::Wgpu`] where something is read, the other calls do nothing. wgpu 30 frees mapped memory as soon as any thread polls a destroyed device: do not destroy one while another thread is within a call of [`Host`](crate::Host), [`Tensor`](crate::Tensor) or [`ClampSlice`](crate::ClampSlice) and a third may poll |
//!
//! A callback of the program's that panics does so wherever wgpu calls it: in a submission of this crate's, and in a poll of
//! a read or a stream, whatever thread that is on, the panic goes on in the thread that called, or that awaits. Where it
//! happens elsewhere, reads and streams take no notice.
//!
//! wgpu's default error handler panics. On native, the crate makes its own objects within error scopes that it
//! pops at once, so the program's scopes see only the program's mistakes. It installs no callback on the device.
//!
//! [`Error`]: crate::Error
//! [`Layout::required_bytes`]: crate::Layout::required_bytes
//! [`Layout::broadcast_to`]: crate::Layout::broadcast_to
//! [`Layout::addresses`]: crate::Layout::addresses
//! [`Clamp::with_source`]: crate::Clamp::with_source
//! [`Host::new`]: crate::Host::new
//! [`Host::submit`]: crate::Host::submit
//! [`Host::self_test`]: crate::Host::self_test
//! [`Layout::packed`]: crate::Layout::packed
//! [`verify::check`]: crate::verify::check
//! [`Error::Argument`]: crate::Error::Argument
//! [`Error::DType`]: crate::Error::DType
//! [`Error::Overlap`]: crate::Error::Overlap
//! [`Error::Buffer`]: crate::Error::Buffer
//! [`Error::Standard`]: crate::Error::Standard
//! [`Error::Limit`]: crate::Error::Limit
//! [`Error::NoDevice`]: crate::Error::NoDevice
//! [`Error::DeviceLost`]: crate::Error::DeviceLost
//! [`Error::OutOfMemory`]: crate::Error::OutOfMemory
//! [`Error::Wgpu`]: crate::Error::Wgpu
//! [`Error::Stopped`]: crate::Error::Stopped
//! [`Error::PartlyWritten`]: crate::Error::PartlyWritten
//! [`Layout::permute`]: crate::Layout::permute
//! [`Clamp::new`]: crate::Clamp::new
