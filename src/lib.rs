//! `max(Min, min(x * scale + bias, Max))` on the GPU, through [wgpu](https://docs.rs/wgpu/30).
//!
//! Twelve element types, seven of which [convert](#conversion) into each other on the way, one clamp for all elements
//! or one for each [channel](#channels), signed strides of up to 8 dimensions on both sides, in place or not, on
//! every adapter with [`wgpu::Limits::downlevel_defaults()`] and no optional feature. Every result is held to a [CPU
//! reference](mod@reference), bit by bit.
//!
//! ```no_run
//! use wgpu_clamp::{Clamp, Host};
//!
//! let host = Host::open_blocking()?;
//! let mut out = [0.0_f32; 3];
//! host.clamp_slice(&Clamp::new(0.0_f32, 6.0), &[-1.5_f32, 0.25, 7.0], &mut out).run_blocking()?;
//! assert_eq!(out, [0.0, 0.25, 6.0]);
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! # What is computed
//!
//! A [`Clamp`] is data: a [`DType`], two [`Bound`]s and the rules. Each element goes through three steps. (Where
//! source and destination differ in dtype, there is [a fourth](#conversion).)
//!
//! **1. The affine step**, `x * scale + bias`, if [`Clamp::with_affine`] has set one. `scale` and `bias` are
//! finite f32 numbers (f64 for F64). Scale 1 with bias ±0 is dropped: every bit stays.
//!
//! | dtype | [`Precision`] | result |
//! | --- | --- | --- |
//! | I8–I64, U8–U64 | without effect | the exact real number, rounded by the clamp's [`Rounding`] (toward zero if it names none), saturated |
//! | F32, F16, BF16, F64 | `Exact` | the exact real number, rounded once, ties to even, subnormals kept: the same bits on every device |
//! | F32, F16, BF16 | `Fast` (default) | f32 arithmetic of the device, rounded to the dtype: one of a [stated set](mod@reference) |
//! | F64 | `Fast` (default) | f64 arithmetic of the device: one of the set; as `Exact`, whose result is in it, on devices [without](Precision::Fast) |
//!
//! A NaN passes unchanged, bit for bit. ±∞ becomes ±∞ with the sign of `scale`, or the canonical quiet NaN
//! where `scale` is ±0. A result beyond the largest finite number is ±∞. Bit tests decide these cases, not
//! arithmetic, since WGSL lets a device assume that NaN and ∞ do not happen.
//!
//! The set of `Fast` is small: the fused and the unfused result, each with subnormals kept or flushed. But WGSL
//! leaves the rounding of float arithmetic to the device, so one may fall outside. [`Host::self_test`] or
//! [`verify::check`] on the device in question tells; there, use [`Precision::Exact`], which takes integer
//! instructions only.
//!
//! **2. The NaN rule.** [`NanRule::Propagate`] (default) lets a NaN element leave bit for bit. `ToMin` and
//! `ToMax` treat it as −∞ or +∞.
//!
//! **3. The bounds**, in the [`Order`] of the clamp. It matters only where `Min > Max`:
//!
//! | order | formula | `Min > Max`: every non-NaN element becomes |
//! | --- | --- | --- |
//! | `MinWins` (default) | `max(Min, min(x, Max))` | Min |
//! | `MaxWins` | `min(Max, max(x, Min))` | Max |
//!
//! Values are compared as numbers and only replaced, never recomputed. An element that no bound replaces keeps
//! its bits: the sign of a zero, a subnormal, a NaN payload. −0 and +0 are equal. An absent bound, or one that
//! is NaN, never replaces anything. The comparison is one of integers, so no device's float rules take part.
//!
//! A bound may also lie on the GPU: [`Bound::OnGpu`] is one element in a buffer, given with
//! [`Operands::with_min`] and [`Operands::with_max`], and read when the dispatch runs. The same rules hold for
//! whatever is found there, `Min > Max` and NaN included, and nothing comes back to the host. The reference
//! takes no slots: its functions that return a `Result` refuse such a bound ([`Error::BoundOnGpu`]),
//! [`reference::element`] and [`reference::allowed`] take it as absent. Give it the value, by
//! [`Clamp::with_bounds`].
//!
//! [`Clamp::directml`], [`Clamp::onnx`], [`Clamp::openvino`] and [`Clamp::onednn`] make the clamp that a standard
//! prescribes for its own attributes, see [`standards`].
//!
//! ```
//! use wgpu_clamp::{Clamp, reference};
//!
//! // The reference is the operator on the CPU, and needs no GPU.
//! let levels = Clamp::new(0_u8, 200).with_affine(1.5, -20.0)?;
//! let mut out = [0_u8; 4];
//! reference::clamp_slice(&levels, &[0_u8, 15, 100, 250], &mut out)?;
//! assert_eq!(out, [0, 2, 130, 200]); // 15 * 1.5 - 20 = 2.5, truncated
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! # Conversion
//!
//! [`Clamp::with_source`] takes elements of another dtype, `max(Min, min(convert(x * scale + bias), Max))`: any two of
//! [`DType::CONVERTIBLE`], which are U8, I8, U16, I16, F16, BF16 and F32. Bounds, order and NaN rule are those of the
//! clamp's own dtype, which is that of the destination.
//!
//! | element | to a float | to an integer |
//! | --- | --- | --- |
//! | finite | the real number `x * scale + bias`, rounded once, ties to even, subnormals kept; ±∞ beyond the largest number | the real number, rounded by [`Rounding`], saturated |
//! | −0, no affine step | −0 | 0 |
//! | NaN | a quiet NaN of its sign, with the upper bits of its payload | 0; by [`NanRule::ToMin`] and [`NanRule::ToMax`] the lowest or highest number; then the bounds |
//! | ±∞ | ±∞, with the sign that `scale` gives it | the lowest or highest number; then the bounds |
//! | ±∞, scale ±0 | the canonical quiet NaN, then the NaN rule | as a NaN |
//!
//! That is [`Precision::Exact`], with the same bits on every device. With `Fast`, an affine step that meets a float
//! on either side is f32 arithmetic of the device, one of the [stated set](mod@reference), rounded to the destination
//! as above. Between integers, and without an affine step, `Fast` is `Exact`.
//!
//! Strides and offsets count elements of the source in `src` and of the destination in `dst`. Within one buffer,
//! whether the two share anything is decided in bytes; in place needs elements of one size.
//!
//! ```
//! use wgpu_clamp::{Clamp, DType, Precision, Rounding, reference};
//!
//! // Scores from 0 to 1 to bytes: one pass for a scale, a rounding, a clamp and a conversion.
//! let to_bytes = Clamp::new(0_u8, 255)
//!     .with_source(DType::F32)?
//!     .with_affine(255.0, 0.0)?
//!     .with_rounding(Rounding::NearestEven)
//!     .with_precision(Precision::Exact);
//! let mut bytes = [0_u8; 5];
//! reference::clamp_slice(&to_bytes, &[0.0_f32, 0.5, 1.0, -3.0, f32::NAN], &mut bytes)?;
//! assert_eq!(bytes, [0, 128, 255, 0, 0]); // 127.5 is a tie
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! ONNX `QuantizeLinear` takes more than this. It divides by `y_scale`, which is a multiplication with the same bits
//! only for powers of two. It rounds before it adds the zero point; here the rounding is last, which is the same for
//! an even zero point, while an odd one moves the ties. And it needs `Exact`: the addition of `Fast` rounds too, and
//! so moves values beside a tie. With a power of two, an even zero point, [`Rounding::NearestEven`] and `Exact` the
//! results are its own.
//!
//! # Channels
//!
//! [`Clamps::along`] has one clamp for each index of an axis of the shape. It goes wherever `&clamp` does: [`Clamper`],
//! [`Host::submit`], [`Plan`], [`reference::apply`], [`verify::check`]. The slice at an index holds what its clamp
//! alone would give. All agree in both dtypes, order, NaN rule, precision and rounding; bounds are absent or values,
//! not on the GPU. A list of another length than the axis is an error, as is an axis that the shape does not have.
//!
//! ```
//! use wgpu_clamp::{Clamp, Clamps, DType, Layout, Precision, Rounding, reference};
//!
//! // Weights to I8, each row by its largest: one pass for a clamp per row and a conversion.
//! let weights = [[0.5_f32, -1.0, 0.25], [8.0, -4.0, 1.0]];
//! let row = |largest: f32| {
//!     let clamp = Clamp::new(-127_i8, 127).with_source(DType::F32)?.with_affine(127.0 / largest, 0.0)?;
//!     Ok::<_, wgpu_clamp::Error>(clamp.with_rounding(Rounding::NearestEven).with_precision(Precision::Exact))
//! };
//! let layout = Layout::packed(&[2, 3])?;
//! let src: Vec<u8> = weights.iter().flatten().flat_map(|weight| weight.to_le_bytes()).collect();
//! let mut dst = [0; 8];
//! reference::apply(Clamps::along(0, &[row(1.0)?, row(8.0)?]), &layout, &src, &layout, &mut dst)?;
//! assert_eq!(dst.map(u8::cast_signed), [64, -127, 32, 127, -64, 16, 0, 0]);
//!
//! // A bound for each channel, in place; the second has none.
//! let mut pairs = [9_u8, 9, 2, 250];
//! let limits = [Clamp::at_most(5_u8), Clamp::unbounded(DType::U8)];
//! reference::apply_in_place(Clamps::along(1, &limits), &Layout::packed(&[2, 2])?, &mut pairs)?;
//! assert_eq!(pairs, [5, 9, 2, 250]);
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! With both, and strides, one pass takes a frame in and leaves a tensor: RGBA bytes with gaps between the rows to
//! planes of F16 without alpha, normalised per channel. Before, that was a conversion, a pass from interleaved to
//! planar and one clamp per plane.
//!
//! ```no_run
//! use wgpu_clamp::{Clamp, Clamper, Clamps, DType, Layout, View, wgpu};
//!
//! # fn f(clamper: &Clamper, encoder: &mut wgpu::CommandEncoder, pixels: &wgpu::Buffer, tensor: &wgpu::Buffer)
//! # -> Result<(), wgpu_clamp::Error> {
//! // 250 x 141 pixels of 4 bytes, 1024 bytes from row to row.
//! let rgb = Layout::strided(&[1, 3, 141, 250], &[0, 1, 1024, 4], 0)?;
//! let nchw = Layout::packed(&[1, 3, 141, 250])?;
//! let mut channels = [Clamp::unbounded(DType::F16).with_source(DType::U8)?; 3];
//! for (clamp, [mean, deviation]) in channels.iter_mut().zip([[0.485, 0.229], [0.456, 0.224], [0.406, 0.225]]) {
//!     *clamp = clamp.with_affine(1.0 / (255.0 * deviation), -mean / deviation)?;
//! }
//! clamper.encode(encoder, Clamps::along(1, &channels), (View::new(pixels, rgb), View::new(tensor, nchw)))?;
//! # Ok(())
//! # }
//! ```
//!
//! It saves memory traffic and buffers, not arithmetic.
//!
//! # Five standards
//!
//! [`Clamp::directml`], [`Clamp::onnx`], [`Clamp::openvino`], [`Clamp::onednn`] and [`Clamp::webnn`] take the attributes of
//! `DirectML` CLIP, ONNX Clip, `OpenVINO` Clamp-1, `oneDNN` Graph Clamp and `WebNN` clamp, and give a [`Clamp`] with that
//! standard's conversion of the bounds, order, NaN rule and dtypes. [`standards`] has the table of how they differ.
//!
//! # Layouts and units
//!
//! A [`Layout`] is a shape, signed strides and an offset. Strides and offset count **elements**; sizes of
//! buffers count **bytes**. Element `i` lies at `offset + Σ i[d] * strides[d]`. Rank 0 is one element; an
//! extent of 0 means that there is nothing to do, which is success.
//!
//! - `src` and `dst` have the same shape; their elements may differ in size. [`Layout::broadcast_to`] repeats
//!   elements by strides of 0.
//! - `src` may read an element for many indices. In `dst` no two indices may share one.
//! - A buffer needs `STORAGE` usage and [`Layout::required_bytes`]: up to the last element, whole 4-byte words.
//! - Only the elements of `dst` change. Gaps, and neighbours in the same 4-byte word, keep their bits.
//! - Elements are little-endian; a 64-bit one has its low word first.
//!
//! # Aliasing
//!
//! | `src` and `dst` | |
//! | --- | --- |
//! | in two buffers | allowed |
//! | in one buffer, the same addresses | in place: [`Operands::in_place`], [`Clamper::encode_in_place`] |
//! | in one buffer, no address in common | allowed |
//! | in one buffer, otherwise | [`Error::PartialAlias`] |
//!
//! Whether strided layouts share an element is decided exactly. Adversarial strides can exhaust the search; that
//! is [`Error::OverlapUndecided`] or [`Error::AliasUndecided`], never a guess. Nested strides (each at least
//! the span of the smaller ones) in `dst` are decided at once.
//!
//! # Two levels
//!
//! **[`Clamper`]** is for programs with a device of their own. It records into their encoders and passes:
//!
//! ```no_run
//! use wgpu_clamp::{Clamp, Clamper, Layout, Operands, View, wgpu};
//!
//! # fn f(device: &wgpu::Device, queue: &wgpu::Queue, pixels: &wgpu::Buffer, planes: &wgpu::Buffer)
//! # -> Result<(), wgpu_clamp::Error> {
//! let clamper = Clamper::new(device)?; // one per device; clones share its pipelines
//!
//! // Interleaved RGB to planes, by strides alone; then in place.
//! let interleaved = Layout::packed(&[480, 640, 3])?.permute(&[2, 0, 1])?;
//! let planar = Layout::packed(&[3, 480, 640])?;
//! let gain = Clamp::new(0.0_f32, 1.0).with_affine(2.0, -0.1)?;
//! let gain = clamper.prepare(&gain, (View::new(pixels, interleaved), View::new(planes, planar)))?;
//! let cap = clamper.prepare(&Clamp::at_most(0.9_f32), Operands::in_place(View::new(planes, planar)))?;
//!
//! let mut encoder = device.create_command_encoder(&Default::default());
//! {
//!     let mut pass = encoder.begin_compute_pass(&Default::default());
//!     gain.record(&mut pass); // as often as you like
//!     cap.record(&mut pass);
//! }
//! queue.submit([encoder.finish()]);
//! # Ok(())
//! # }
//! ```
//!
//! [`Prepared::record`] sets the pass's pipeline and its bind group 0, and nothing else.
//! [`Clamper::encode`] prepares, opens a pass and records, for calls that happen once.
//!
//! **[`Host`]** adds a queue: [`Host::submit`], [`Tensor`] for uploads and readbacks,
//! [`Host::clamp_slice`] from host memory to host memory. [`Host::open`] picks a device for programs that have
//! none; [`Host::new`] takes that of the program. [`Host::self_test`] compares the kernels of the device with the
//! reference, each dtype and pair of dtypes on every kernel, and reports what differs.
//!
//! A buffer has no dtype: the elements of a [`View`] are those of the clamp (of its source in `src`), unless
//! [`View::with_dtype`] says what they are. Then, as for [`Tensor::view`], a clamp of another dtype is an error.
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
//! server, keeps the [`MAX_PIPELINES`](Clamper::MAX_PIPELINES) that it used last; an older one is compiled again
//! where it is needed again. A [`Prepared`] keeps its own pipelines, whatever the clamper has given up. A
//! [`Prepared`] owns its bind groups and parameters and keeps the buffers alive. Nothing else outlives a call.
//!
//! Dropping the last clone of a [`Clamper`] frees its pipelines, layouts and shader modules, but for what a
//! [`Prepared`] or work under way still needs; dropping a [`Prepared`] frees the rest. wgpu itself lets go of a used
//! object when the program polls or submits next, and of the upload of a clamp's parameters after the submission
//! that follows `prepare`: a program that prepares without end should also submit, as wgpu 30 takes the longer for an
//! upload, the more of them wait.
//!
//! Recording allocates what the same calls of wgpu allocate, and nothing more.
//!
//! # Errors
//!
//! What a caller passes is checked before anything is recorded or submitted, and refused as an [`Error`] that
//! names the argument, its value and what would be right. Some mistakes no handle shows; only wgpu sees them:
//!
//! | mistake | reported |
//! | --- | --- |
//! | a buffer destroyed before `prepare` or `encode`, or of another device | native: [`Error::Internal`] with wgpu's words; web: the program's error scope or the device's error handler |
//! | a buffer of a device from another `wgpu::Instance` | native: wgpu 30 panics, as it finds no such buffer; or not at all, as it takes one of its own for it |
//! | in [`Host::new`], a queue of another device | at each submission, in an error scope or the error handler of the queue's device. If that returns, nothing was submitted, and what is read then is [`Error::Readback`] or zeros |
//! | in [`Host::new`], a queue of a device from another `wgpu::Instance` | native: wgpu 30 panics at each submission; or not at all, as it takes commands of that instance for these |
//! | a [`Prepared`] recorded into a pass of another device | at `CommandEncoder::finish`, in the error scope or the error handler of the pass's device |
//! | a buffer destroyed later, or mapped at submission | at `Queue::submit`, in the program's error scope or the device's error handler; [`Host::submit`], native: [`Error::Internal`] |
//! | an upload for which the browser has no memory to map | web: wgpu 30 panics, as `createBuffer` throws |
//! | a device lost or destroyed | native: [`Error::DeviceLost`] where a call of this crate can tell, else as wgpu documents it; web: [`Error::Readback`] where something is read, the other calls do nothing. wgpu 30 frees mapped memory as soon as any thread polls a destroyed device: do not destroy one while another thread is within a call of [`Host`], [`Tensor`] or [`ClampSlice`] and a third may poll |
//!
//! A callback of the program's that panics does so wherever wgpu calls it. In a submission, that unwinds through this
//! crate's call; in a poll of a read or a stream it is caught, and these may end with [`Error::Readback`].
//!
//! wgpu's default error handler panics. On native, the crate makes its own objects within error scopes that it
//! pops at once, so the program's scopes see only the program's mistakes. It installs no callback on the device.
//!
//! # Limits
//!
//! A view may be as large as its buffer. Where it exceeds a storage binding
//! (`max_storage_buffer_binding_size` of the device, 128 MiB by wgpu's default limits, and 2³¹ − 4 bytes at
//! most) or a dispatch, it is cut into windows, source and destination each on its own. A window is one
//! dispatch, or up to three where a tensor or its rows do not begin and end at 16 bytes; a transpose, or a channel of
//! pixels in bytes, may be up to three windows. Bounds on the GPU take one dispatch more for all windows, or for a
//! few hundred where the device has small buffers. A plan that could take more than 65,536 dispatches, bounds on the
//! GPU not counted, is [`Error::TooManyWindows`]. [`Host::clamp_slice`] takes slices of any size, in chunks; a
//! [`Tensor`] is one buffer (`max_buffer_size`), and beyond that [`Error::TooLarge`].
//!
//! # Logging
//!
//! Through the [`log`](https://docs.rs/log) facade, which wgpu uses too: no further dependency, and one logger has
//! both in order. Programs that use `tracing` get them by `tracing-log`. Targets start with `wgpu_clamp`; all is at
//! debug level, nothing at info or above:
//!
//! - the adapter, when [`Host::open`] picks one and for each new [`Clamper`], with the limits it works by, and how many
//!   pipelines there could be on it;
//! - per [`Clamper::prepare`] and what calls it, in a line: the clamp in numbers, the shape, and the [`Plan`], with dtype,
//!   affine step, buffers, number of windows, which kernel takes how many elements and why, and the number of dispatches;
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
//! A [`Host`] is one device. N processes, or threads, take N GPUs by [`Host::open_nth`], or each with
//! `WGPU_CLAMP_ADAPTER=0`, `1` and so on in its environment.
//!
//! `CUDA_VISIBLE_DEVICES`, `ROCR_VISIBLE_DEVICES` and `HIP_VISIBLE_DEVICES` are of CUDA's and `ROCm`'s runtimes: Vulkan, and
//! so wgpu, lists the GPUs that they hide. What closes a GPU's device file hides it from all, as a container does
//! (`NVIDIA_VISIBLE_DEVICES`), or Slurm's cgroups; an index then counts what is left. A scheduler that gives one GPU to a
//! task and sets `CUDA_VISIBLE_DEVICES` to its number is followed by `WGPU_CLAMP_ADAPTER=$CUDA_VISIBLE_DEVICES`, if it
//! counts in the order of the bus, as `nvidia-smi` does (CUDA itself counts by speed without
//! `CUDA_DEVICE_ORDER=PCI_BUS_ID`); likewise for `ROCm`.
//!
//! # Cargo features
//!
//! `vulkan`, `metal`, `dx12`, `gles` and `webgpu` compile that backend into wgpu. All are on by default; each
//! is without effect on platforms that lack it. Types of wgpu are those of the re-exported [`wgpu`], version 30.

/// The examples of the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// What `fuzz/` has written for users of the crate, the crate's own tests run too.
#[cfg(test)]
extern crate self as wgpu_clamp;

mod arithmetic;
mod error;
mod fragment;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzz;
mod gpu;
mod host;
mod kernel;
mod layout;
mod operator;
mod plan;
pub mod reference;
mod self_test;
mod shader;
pub mod standards;
pub mod verify;

pub use error::Error;
pub use gpu::{Clamper, Operands, Prepared, View};
pub use half;
pub use host::{ClampSlice, Host, Tensor};
pub use kernel::Limits;
pub use layout::{Layout, MAX_RANK};
pub use operator::{Affine, Bound, Clamp, Clamps, DType, Element, NanRule, Order, Precision, Rounding};
pub use plan::Plan;
pub use self_test::{Outcome, SelfTest, SelfTestReport};
pub use shader::Shader;
pub use wgpu;
