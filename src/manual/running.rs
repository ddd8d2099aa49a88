//! Blocking, memory, logging, environment variables and several GPUs.
//!
//! # What blocks, and what never does
//!
//! - Recording ([`Clamper::encode`], [`Clamper::prepare`], [`Prepared::rebind`], [`Prepared::record`]) never submits, polls or waits for the
//!   GPU. The first two compile each new pipeline on the calling thread; threads that need the same shader module wait.
//!   Some drivers (Mesa's lavapipe 25.0) finish the work under way first. [`Clamper::compile`] does
//!   so ahead, without buffers, on any thread.
//! - [`Host::submit`], [`Tensor::upload`] and [`Tensor::zeros`] do not wait for the GPU.
//! - [`Tensor::read`] and [`ClampSlice::run`] are futures for any executor. On native they poll the device for each copy: on the
//!   task's thread, and in between on a thread of their own until the copy has arrived, even if the future is dropped. The
//!   program's callbacks may run there, as in any poll. On the web the browser polls.
//! - Functions that end in `_blocking` block the calling thread. wasm32 lacks them.
//!
//! # What is kept
//!
//! A [`Clamper`] and its clones keep only compiled pipelines and shader modules: one pipeline per dtype, affine step,
//! placement (how `src` and `dst` are bound), kernel and kind of layout. Other shapes, strides, bounds and scales of the
//! same kind share them; [`Clamper::compile`] says which kinds there are. The
//! [`MAX_PIPELINES`](crate::Clamper::MAX_PIPELINES) used last are kept; an older one is compiled again when needed. A
//! [`Prepared`] owns its pipelines, bind groups and parameters, and keeps the buffers alive. One that
//! [`rebind`](Prepared::rebind) returns shares pipelines and parameters with the first. Nothing else outlives a call.
//!
//! Dropping the last clone of a [`Clamper`] frees its objects, except those that a [`Prepared`] or work under way
//! needs. wgpu frees a used object when the program polls or submits next. It frees an upload of parameters after the
//! submission that follows `prepare`. A program that prepares often should therefore submit too: wgpu 30 slows down
//! with the number of waiting uploads.
//!
//! [`Prepared::record`] allocates no more than the same calls of wgpu.
//!
//! # Logging
//!
//! The crate logs through the [`log`](https://docs.rs/log) facade, as wgpu does; `tracing-log` passes messages to
//! `tracing`. Targets start with `wgpu_clamp`. All messages have debug level:
//!
//! - the adapter, when [`Host::open`] picks one and for each new [`Clamper`], with its limits;
//! - one line per [`Clamper::prepare`]: the clamp, the layouts and the [`Plan`] with its kernels and dispatches;
//! - what [`Host::check_f16`] finds, which [`Host::open`] calls;
//! - each pipeline that `prepare` takes, `cached` or `compiling`, and each that is `given up` for another.
//!
//! [`Prepared::record`] logs nothing. Errors are returned, not logged.
//!
//! # Environment variables
//!
//! Only [`Host::open`] and `Host::open_nth` read variables: `WGPU_BACKEND`, `WGPU_ADAPTER_NAME`, `WGPU_POWER_PREF`, those of
//! [`wgpu::InstanceDescriptor::new_without_display_handle_from_env`], and `WGPU_CLAMP_ADAPTER`, an index as for
//! `Host::open_nth`.
//!
//! # Several GPUs
//!
//! A [`Host`] is one device. N processes, or threads, take N GPUs by `Host::open_nth`, or each with
//! `WGPU_CLAMP_ADAPTER=0`, `1` and so on in its environment.
//!
//! Vulkan, and so wgpu, ignores `CUDA_VISIBLE_DEVICES`, `ROCR_VISIBLE_DEVICES` and `HIP_VISIBLE_DEVICES`. Containers
//! (`NVIDIA_VISIBLE_DEVICES`) and Slurm's cgroups hide a GPU's device file from all; the index then counts the remaining GPUs.
//! Under a scheduler that sets `CUDA_VISIBLE_DEVICES` to the number of one GPU, set
//! `WGPU_CLAMP_ADAPTER=$CUDA_VISIBLE_DEVICES`. The numbers agree if the scheduler counts in the order of the bus, as `nvidia-smi`
//! does; CUDA itself does so only with `CUDA_DEVICE_ORDER=PCI_BUS_ID`. The same holds for `ROCm`.
//!
//! [`wgpu::InstanceDescriptor::new_without_display_handle_from_env`]: https://docs.rs/wgpu/30/wgpu/struct.InstanceDescriptor.html#method.new_without_display_handle_from_env

#[cfg(doc)]
use crate::{ClampSlice, Clamper, Host, Plan, Prepared, Tensor};
