//! Tensors larger than a binding, a buffer or the memory.
//!
//! | the tensor is larger than | what to do |
//! | --- | --- |
//! | a storage binding, or a dispatch | nothing: the crate cuts it into windows |
//! | a buffer (`max_buffer_size`) | use several tensors, or stream from host memory by [`Host::clamp_slice`] |
//! | the GPU's memory | stream by [`Host::clamp_slice`]: it takes at most 144 MiB of buffers, and with a clamp per channel three tables of up to 80 bytes per channel |
//! | the host's memory | take a part of the file at a time, as the example `clamp_npy` |
//! | the machine | one process per part: Dask with `integrations/dask` |
//!
//! # Windows
//!
//! A view may be as large as its buffer. If it exceeds a storage binding (`max_storage_buffer_binding_size`: 128 MiB by
//! default, 2³¹ − 4 bytes at most) or a dispatch, the crate cuts it into windows that fit. [`Clamper::limits`] has a
//! device's [`Limits`]. A window takes one dispatch, or two if rows do not begin and end at 16 bytes; a
//! transpose may take three windows. Numbers on the GPU take one more dispatch for all windows, rarely a few. A plan
//! with more than 65,536 dispatches is [`Error::Limit`].
//!
//! # Streams
//!
//! [`Host::clamp_slice`], [`Host::clamp_slice_in_place`] and their forms in bytes send chunks of 16 MiB through a ring of
//! buffers. Upload, dispatch and readback of neighbouring chunks overlap. [`ClampSlice::with_progress`] reports after each
//! chunk and can stop the run. Finished chunks stay written, and [`Error::PartlyWritten`] counts their elements.
//!
//! A [`Tensor`] is one buffer; beyond `max_buffer_size` it is [`Error::Limit`].

#[cfg(doc)]
use crate::{ClampSlice, Clamper, Error, Host, Limits, Tensor};
