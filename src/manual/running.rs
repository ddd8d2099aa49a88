//! What blocks, what stays in memory, what is logged; the environment; several GPUs.
//!
//! # What blocks, and what never does
//!
//! - Recording ([`Clamper::encode`], [`Clamper::prepare`], [`Prepared::record`]) never submits, polls or waits
//!   for the GPU. The first two compile a pipeline on the calling thread when they meet a combination for the
//!   first time; a thread that needs the same shader module meanwhile waits, and some drivers (Mesa's lavapipe 25.0)
//!   compile only once the work under way is done. `prepare` ahead to choose when.
//! - [`Host::submit`], [`Tensor::upload`] and [`Tensor::zeros`] do not wait for the GPU.
//! - [`Tensor::read`] and [`ClampSlice::run`] are futures for any executor. On native they poll the device while they
//!   wait: once on the task's own thread, without waiting, then on a thread of their own until their copy has arrived,
//!   also if the future is dropped before. As with every poll, callbacks that the program has registered may run
//!   there. On the web the browser polls.
//! - Functions that end in `_blocking` block the calling thread. wasm32 does not have them.
//!
//! # What is kept
//!
//! A [`Clamper`] and its clones keep compiled pipelines and their shader modules, nothing else: one pipeline per
//! dtype, affine step, placement, kernel and kind of layout; none is for a bound, a scale, a shape or a stride alone.
//! A program that clamps the same kinds of tensors again and again takes a few. One that takes many, such as a
//! server, keeps the [`MAX_PIPELINES`](crate::Clamper::MAX_PIPELINES) that it used last; an older one is compiled again
//! where it is needed again. A [`Prepared`] owns its pipelines, bind groups and parameters, and keeps the buffers alive.
//! Nothing else outlives a call.
//!
//! Dropping the last clone of a [`Clamper`] frees its pipelines, layouts and shader modules, but for what a
//! [`Prepared`] or work under way still needs; dropping a [`Prepared`] frees the rest. wgpu itself lets go of a used
//! object when the program polls or submits next, and of the upload of a clamp's parameters after the submission
//! that follows `prepare`: a program that prepares without end should also submit, as wgpu 30 takes the longer for an
//! upload, the more of them wait.
//!
//! Recording allocates what the same calls of wgpu allocate, and nothing more.
//!
//! # Logging
//!
//! Through the [`log`](https://docs.rs/log) facade, which wgpu uses too: no further dependency, and one logger has
//! both in order. Programs that use `tracing` get them by `tracing-log`. Targets start with `wgpu_clamp`; all is at
//! debug level, nothing at info or above:
//!
//! - the adapter, when [`Host::open`] picks one and for each new [`Clamper`], with the limits it works by, and how many
//!   pipelines there could be on it;
//! - per [`Clamper::prepare`] and what calls it, in a line: the clamp in numbers, the layouts of all views, and the
//!   [`Plan`](crate::Plan), with dtype, affine step, buffers, number of windows, which kernel takes how many elements and
//!   why, and the number of dispatches;
//! - then each pipeline that it takes, `cached` or `compiling`, once however many windows there are, and each that is
//!   `given up` for another.
//!
//! Recording logs nothing, and errors are returned instead. A message that no logger wants is not put together.
//!
//! # Environment variables
//!
//! Only [`Host::open`] and [`Host::open_nth`] read any: `WGPU_BACKEND`, `WGPU_ADAPTER_NAME`, `WGPU_POWER_PREF` and what else
//! [`wgpu::InstanceDescriptor::new_without_display_handle_from_env`] knows, such as `WGPU_VALIDATION`; and
//! `WGPU_CLAMP_ADAPTER`, an index as for [`Host::open_nth`].
//!
//! # Several GPUs
//!
//! A [`Host`](crate::Host) is one device. N processes, or threads, take N GPUs by [`Host::open_nth`], or each with
//! `WGPU_CLAMP_ADAPTER=0`, `1` and so on in its environment.
//!
//! `CUDA_VISIBLE_DEVICES`, `ROCR_VISIBLE_DEVICES` and `HIP_VISIBLE_DEVICES` are of CUDA's and `ROCm`'s runtimes: Vulkan, and
//! so wgpu, lists the GPUs that they hide. What closes a GPU's device file hides it from all, as a container does
//! (`NVIDIA_VISIBLE_DEVICES`), or Slurm's cgroups; an index then counts what is left. A scheduler that gives one GPU to a
//! task and sets `CUDA_VISIBLE_DEVICES` to its number is followed by `WGPU_CLAMP_ADAPTER=$CUDA_VISIBLE_DEVICES`, if it
//! counts in the order of the bus, as `nvidia-smi` does (CUDA itself counts by speed without
//! `CUDA_DEVICE_ORDER=PCI_BUS_ID`); likewise for `ROCm`.
//!
//! [`Clamper`]: crate::Clamper
//! [`Clamper::encode`]: crate::Clamper::encode
//! [`Clamper::prepare`]: crate::Clamper::prepare
//! [`Prepared`]: crate::Prepared
//! [`Prepared::record`]: crate::Prepared::record
//! [`Host::submit`]: crate::Host::submit
//! [`Host::open`]: crate::Host::open
//! [`Host::open_nth`]: crate::Host::open_nth
//! [`Tensor::upload`]: crate::Tensor::upload
//! [`Tensor::zeros`]: crate::Tensor::zeros
//! [`Tensor::read`]: crate::Tensor::read
//! [`ClampSlice::run`]: crate::ClampSlice::run
//! [`wgpu::InstanceDescriptor::new_without_display_handle_from_env`]: https://docs.rs/wgpu/30/wgpu/struct.InstanceDescriptor.html#method.new_without_display_handle_from_env
