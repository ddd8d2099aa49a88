//! Why a tensor was refused, and the mistakes that no handle shows.
//!
//! What a caller passes is checked before anything is recorded or submitted, and refused as an [`Error`] that names the
//! argument, its value and what would be right. After an error of [`Clamper`](crate::Clamper) nothing was recorded.
//!
//! # What the message says, and what to do
//!
//! | the message has | error | often because |
//! | --- | --- | --- |
//! | "need a buffer of … bytes" | [`BufferTooSmall`] | the buffer's size is not rounded up to 4 bytes (create it of [`Layout::required_bytes`]); or the offset was given in bytes, where layouts count elements; or the clamp lacks [`Clamp::with_source`] |
//! | "shape: rank 9" | [`Rank`] | an elementwise operator needs no axes: give a packed tensor as `[n]` |
//! | "the buffer lacks" | [`MissingUsage`] | a buffer for vertices, uniforms or readback; add `STORAGE` where it is created |
//! | "is not the dtype of" | [`DTypeMismatch`] | `Clamp::new(0.0, 6.0)` is of F64 and `Clamp::new(0, 6)` of I32: write `0.0_f32`. From one dtype to another, [`Clamp::with_source`] |
//! | "differs from that of src" | [`ShapeMismatch`] | a layout is permuted on one side alone; or it should be broadcast: [`Layout::broadcast_to`], for the source |
//! | "an output must not overlap itself" | [`OutputOverlap`] | a broadcast or a sliding window as destination, where one element would have several results |
//! | "could not decide" | [`OverlapUndecided`], [`AliasUndecided`] | strides that interleave in several dimensions: see [layouts](super::layouts#in-place-and-two-views-of-one-buffer) |
//! | "share bytes of one buffer" | [`PartialAlias`] | two views of one buffer: see [layouts](super::layouts#in-place-and-two-views-of-one-buffer) |
//! | "its elements lie at" | [`AddressRange`] | a negative stride, and an offset that leaves no room below; or an offset beyond what a buffer can have |
//! | "does not convert to" | [`Conversion`] | bounds without a suffix, which make a clamp of F64 or I32. These two, I64, U32 and U64 do not convert: that takes a kernel of the program's own |
//! | "in place; source and destination elements of one size" | [`InPlaceSizes`] | a conversion in place from F32 to F16 |
//! | "clamps:" | [`ChannelCount`], [`ChannelsDiffer`] | as many clamps as the axis has indices are needed, alike but for bounds, scale and bias |
//! | "`Number::OnGpu`; bounds of channels", "takes no slot" | [`ChannelBoundOnGpu`], [`BoundOnGpu`] | what takes values only: read the slot, and give its value with [`Clamp::with_bounds`] |
//! | "axis: 4 is out of range" | [`Axis`] | axes count from 0, those of the layout as it is now |
//! | "bytes given", "elements given" | [`Length`] | a slice is not as long as the shape, or as the other; or its bytes are of another dtype |
//! | "has bits beyond" | [`BoundBits`] | `Bound::value(6.0)` is of F64: write `6.0_f32` |
//! | "give its slot", "a slot is given", "the slot of" | [`MissingSlot`], [`UnexpectedSlot`], [`SlotLength`], [`SlotInOutput`] | a bound and its slot do not go together, or the slot lies in what is written: see [bounds on the GPU](super::gpu_bounds) |
//! | "is not in ONNX Clip-12", "is not in oneDNN" | [`DTypeNotInStandard`] | that version of the standard has no such tensors; `Clamp::new` takes all twelve dtypes |
//! | "takes no attributes", "takes no inputs" | [`BoundsKind`] | a node's opset decides which of the two it has |
//! | "NaN is no bound of" | [`NanBound`] | the standard, or its implementation, requires numbers; `Clamp::new` ignores a bound that is NaN |
//! | "requires min <= max" | [`CrossedBounds`] | the standard, or its implementation, as the message says, refuses Min > Max; `Clamp::new` does not |
//! | "need … windows" | [`TooManyWindows`] | neighbours lie far apart in a large buffer, and the device was made with small limits: ask for the adapter's |
//! | "take a table of" | [`ChannelTable`] | an axis with hundreds of thousands of clamps that differ: what a binding holds of them is limited |
//! | "device: its" | [`DeviceLimit`] | the device was made with less than `wgpu::Limits::downlevel_defaults()` |
//! | "use several tensors" | [`TooLarge`] | more than one buffer of the device holds: see [large data](super::large_data) |
//!
//! ```
//! use wgpu_clamp::{Clamp, Layout, Limits, Plan, reference};
//!
//! let mut pixels = [0_u8; 8];
//! let error = reference::apply_in_place(&Clamp::new(0, 6), &Layout::packed(&[8])?, &mut pixels).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "bytes: i32 elements of shape [8], strides [1], offset 0 need a buffer of 32 bytes, this one has 8 (shape, \
//!      strides and offset count elements); was i32 meant? Bounds without a suffix make a clamp of it: `Clamp::new(0_u8, 6)` is one of u8"
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
//! - **Elements of another dtype**, where the sizes happen to fit: `Clamp::new(0, 6)` on a buffer of f32. Give views their
//!   type, by [`View::of`] or [`View::with_dtype`], as [`Tensor::view`](crate::Tensor::view) does.
//! - **An offset or strides in bytes**, where the buffer has room for them. Layouts count elements.
//! - **A bound of another type** in [`Bound::value`](crate::Bound::value), of which only the bits are kept.
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
//! | a buffer destroyed before `prepare` or `encode`, or of another device | native: [`Error::Internal`] with wgpu's words; web: the program's error scope or the device's error handler |
//! | a buffer of a device from another `wgpu::Instance` | native: wgpu 30 panics, as it finds no such buffer; or not at all, as it takes one of its own for it |
//! | in [`Host::new`], a queue of another device | at each submission, in an error scope or the error handler of the queue's device. If that returns, nothing was submitted, and what is read then is [`Error::Readback`] or zeros |
//! | in [`Host::new`], a queue of a device from another `wgpu::Instance` | native: wgpu 30 panics at each submission; or not at all, as it takes commands of that instance for these |
//! | a clamp recorded into an encoder or a pass of another device | at `CommandEncoder::finish`, in the error scope or the error handler of the pass's device |
//! | a buffer destroyed later, or mapped at submission | at `Queue::submit`, in the program's error scope or the device's error handler; [`Host::submit`], native: [`Error::Internal`] |
//! | an upload for which the browser has no memory to map | web: wgpu 30 panics, as `createBuffer` throws |
//! | a device lost or destroyed | native: [`Error::DeviceLost`] where a call of this crate can tell, else as wgpu documents it; web: [`Error::Readback`] where something is read, the other calls do nothing. wgpu 30 frees mapped memory as soon as any thread polls a destroyed device: do not destroy one while another thread is within a call of [`Host`](crate::Host), [`Tensor`](crate::Tensor) or [`ClampSlice`](crate::ClampSlice) and a third may poll |
//!
//! A callback of the program's that panics does so wherever wgpu calls it: in a submission of this crate's, and in a poll of
//! a read or a stream, whatever thread that is on, the panic goes on in the thread that called, or that awaits. Where it
//! happens elsewhere, reads and streams take no notice.
//!
//! wgpu's default error handler panics. On native, the crate makes its own objects within error scopes that it
//! pops at once, so the program's scopes see only the program's mistakes. It installs no callback on the device.
//!
//! [`Error`]: crate::Error
//! [`Error::Internal`]: crate::Error::Internal
//! [`Error::Readback`]: crate::Error::Readback
//! [`Error::DeviceLost`]: crate::Error::DeviceLost
//! [`BufferTooSmall`]: crate::Error::BufferTooSmall
//! [`Rank`]: crate::Error::Rank
//! [`MissingUsage`]: crate::Error::MissingUsage
//! [`DTypeMismatch`]: crate::Error::DTypeMismatch
//! [`ShapeMismatch`]: crate::Error::ShapeMismatch
//! [`OutputOverlap`]: crate::Error::OutputOverlap
//! [`PartialAlias`]: crate::Error::PartialAlias
//! [`InPlaceSizes`]: crate::Error::InPlaceSizes
//! [`OverlapUndecided`]: crate::Error::OverlapUndecided
//! [`AliasUndecided`]: crate::Error::AliasUndecided
//! [`Conversion`]: crate::Error::Conversion
//! [`ChannelBoundOnGpu`]: crate::Error::ChannelBoundOnGpu
//! [`BoundOnGpu`]: crate::Error::BoundOnGpu
//! [`Axis`]: crate::Error::Axis
//! [`Length`]: crate::Error::Length
//! [`BoundBits`]: crate::Error::BoundBits
//! [`SlotInOutput`]: crate::Error::SlotInOutput
//! [`BoundsKind`]: crate::Error::BoundsKind
//! [`ChannelTable`]: crate::Error::ChannelTable
//! [`DeviceLimit`]: crate::Error::DeviceLimit
//! [`TooLarge`]: crate::Error::TooLarge
//! [`Clamp::with_bounds`]: crate::Clamp::with_bounds
//! [`ChannelCount`]: crate::Error::ChannelCount
//! [`ChannelsDiffer`]: crate::Error::ChannelsDiffer
//! [`MissingSlot`]: crate::Error::MissingSlot
//! [`UnexpectedSlot`]: crate::Error::UnexpectedSlot
//! [`SlotLength`]: crate::Error::SlotLength
//! [`DTypeNotInStandard`]: crate::Error::DTypeNotInStandard
//! [`CrossedBounds`]: crate::Error::CrossedBounds
//! [`TooManyWindows`]: crate::Error::TooManyWindows
//! [`Layout::required_bytes`]: crate::Layout::required_bytes
//! [`Layout::broadcast_to`]: crate::Layout::broadcast_to
//! [`Layout::addresses`]: crate::Layout::addresses
//! [`Clamp::with_source`]: crate::Clamp::with_source
//! [`Host::new`]: crate::Host::new
//! [`Host::submit`]: crate::Host::submit
//! [`Host::self_test`]: crate::Host::self_test
//! [`AddressRange`]: crate::Error::AddressRange
//! [`NanBound`]: crate::Error::NanBound
//! [`Layout::packed`]: crate::Layout::packed
//! [`View::of`]: crate::View::of
//! [`View::with_dtype`]: crate::View::with_dtype
//! [`verify::check`]: crate::verify::check
