//! More than a binding, a buffer, or the memory holds.
//!
//! | the tensor is larger than | what to do |
//! | --- | --- |
//! | a storage binding, or a dispatch | nothing: it is cut into windows |
//! | a buffer (`max_buffer_size`) | several tensors; from host memory [`Host::clamp_slice`], which streams |
//! | the GPU's memory | [`Host::clamp_slice`] and its twins: 144 MiB at most, whatever the size |
//! | the host's memory | a part of the file at a time: the example `clamp_npy` |
//! | the machine | one process per part: the programs in `integrations/zarr` and `integrations/dask` |
//!
//! # Windows
//!
//! A view may be as large as its buffer. Where it exceeds a storage binding (`max_storage_buffer_binding_size` of the
//! device, 128 MiB by wgpu's default limits, and 2³¹ − 4 bytes at most) or a dispatch, it is cut into windows, source and
//! destination each on its own. [`Limits`] has the numbers, [`Clamper::limits`] those of a device. A window is one
//! dispatch, or up to three where a tensor or its rows do not begin and end at 16 bytes; a transpose, or a channel of
//! pixels in bytes, may be up to three windows. Numbers on the GPU take one dispatch more for all windows, or for a few
//! hundred where the device has small buffers. A plan that could take more than 65,536 dispatches, numbers on the GPU not
//! counted, is [`Error::Limit`].
//!
//! ```
//! use wgpu_clamp::{Clamp, Layout, Limits, Plan};
//!
//! // 1 GiB of f32; a dispatch takes a little less than 128 MiB.
//! let layout = Layout::packed(&[1 << 28])?;
//! let plan = Plan::new(&Clamp::at_least(0.0_f32), &layout, &layout, Limits::default())?;
//! assert_eq!(plan.dispatches(), 9);
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! # Streams
//!
//! [`Host::clamp_slice`], [`Host::clamp_slice_in_place`] and their forms in bytes send chunks of 16 MiB through a ring of
//! buffers: upload, dispatch and readback of neighbouring chunks overlap. [`ClampSlice::with_progress`] reports after
//! each chunk, and can end the run. What was written by then stays written, and the error says so
//! ([`Error::PartlyWritten`]).
//!
//! A [`Tensor`](crate::Tensor) is one buffer, and beyond `max_buffer_size` [`Error::Limit`].
//!
//! [`Host::clamp_slice`]: crate::Host::clamp_slice
//! [`Host::clamp_slice_in_place`]: crate::Host::clamp_slice_in_place
//! [`ClampSlice::with_progress`]: crate::ClampSlice::with_progress
//! [`Limits`]: crate::Limits
//! [`Clamper::limits`]: crate::Clamper::limits
//! [`Error::Limit`]: crate::Error::Limit
//! [`Error::PartlyWritten`]: crate::Error::PartlyWritten
