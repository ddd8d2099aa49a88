//! `max(Min, min(x * scale + bias, Max))` on the GPU, through [wgpu](https://docs.rs/wgpu/30).
//!
//! - Twelve element types. Nine of them [convert](manual::conversion) into each other in the same call.
//! - One clamp for all elements, or one for each [channel](manual::conversion#channels).
//! - Signed strides of up to 8 dimensions on both sides, in place or not.
//! - Every adapter with [`wgpu::Limits::downlevel_defaults()`][downlevel], without optional features.
//! - A [CPU reference](mod@reference) with which tests compare every result, bit by bit.
//!
//! [downlevel]: https://docs.rs/wgpu/30/wgpu/struct.Limits.html#method.downlevel_defaults
//!
//! A clamp is recorded into an encoder of the program:
//!
//! ```no_run
//! use wgpu_clamp::{Clamp, Clamper, Error, Layout, Operands, View, wgpu};
//!
//! /// ReLU6 of one tensor of f32 into another.
//! fn record(
//!     clamper: &Clamper, // once per device: Clamper::new(&device)?
//!     encoder: &mut wgpu::CommandEncoder,
//!     src: &wgpu::Buffer, // with STORAGE usage
//!     dst: &wgpu::Buffer,
//! ) -> Result<(), Error> {
//!     let all = Layout::packed(&[1, 64, 56, 56])?;
//!     let (src, dst) = (View::of::<f32>(src, all), View::of::<f32>(dst, all));
//!     clamper.encode(encoder, Clamp::new(0.0_f32, 6.0), Operands::new(src, dst))
//! }
//! ```
//!
//! The bounds have the type of the elements: `Clamp::new(0.0_f32, 6.0)` clamps F32. Without a suffix, `0.0` is an f64
//! and `0` an i32 in Rust. A clamp whose dtype differs from its views' is refused.
//!
#![doc = include_str!("../docs/flow.svg")]
//!
//! # Where to go on
//!
//! The [manual] has a page for each question: [layouts](manual::layouts) by example, a [camera
//! frame](manual::conversion) to a network's input and back, [why a tensor was refused](manual::errors),
//! [speed](manual::performance). [`standards`] tells how `DirectML` CLIP, ONNX Clip, `OpenVINO` Clamp-1, `oneDNN` Graph
//! Clamp and `WebNN` clamp differ. [`Clamp`] has a constructor for each of them.
//!
//! # What is computed
//!
//! A [`Clamp`] is data: a [`DType`], four [`Number`]s (Min, Max, scale and bias) and the rules. Each element goes
//! through three steps. If source and destination differ in dtype, there is a fourth: the
//! [conversion](manual::conversion).
//!
//! **1. The affine step**, `x * scale + bias`, if [`Clamp::with_affine`] has set one. `scale` and `bias` are
//! finite f32 numbers (f64 for F64). Scale 1 with bias ±0 is dropped: every bit stays.
//!
//! | dtype | [`Precision`] | result |
//! | --- | --- | --- |
//! | I8–I64, U8–U64 | without effect | the exact real number, rounded by the clamp's [`Rounding`] (default: toward zero), saturated |
//! | F32, F16, BF16, F64 | `Exact` | the exact real number, rounded once, ties to even, subnormals kept: the same bits on every device |
//! | F32, F16, BF16 | `Fast` (default) | f32 arithmetic of the device, rounded to the dtype; the result is in a [stated set](mod@reference) |
//! | F64 | `Fast` (default) | f64 arithmetic of the device; the result is in the set. Devices [without](Precision::Fast) this arithmetic compute as `Exact`, whose result is in the set |
//!
//! A NaN passes unchanged, bit for bit. ±∞ stays infinite, and a negative `scale` flips its sign. Where `scale` is ±0,
//! ±∞ becomes the canonical quiet NaN. Bit tests decide these cases, not arithmetic, since WGSL lets a device assume
//! that NaN and ∞ do not occur. A result beyond the largest finite number is ±∞.
//!
//! [Precision](manual::precision) compares `Exact` and `Fast`.
//!
//! **2. The NaN rule.** [`NanRule::Propagate`] (default) keeps a NaN element, bit for bit. `ToMin` and `ToMax` treat it
//! as −∞ or +∞. Rust's `f32::clamp` keeps a NaN too, while `f32::max(min, f32::min(x, max))` turns it into Max, as
//! `ToMax` does.
//!
//! **3. The bounds**, in the [`Order`] of the clamp. The order matters only where `Min > Max`:
//!
//! | order | formula | `Min > Max`: every non-NaN element becomes |
//! | --- | --- | --- |
//! | `MinWins` (default) | `max(Min, min(x, Max))` | Min |
//! | `MaxWins` | `min(Max, max(x, Min))` | Max |
//!
//! Values are compared as numbers and only replaced, never recomputed. An element that no bound replaces keeps its
//! bits: the sign of a zero, a subnormal, a NaN payload. −0 and +0 are equal. An absent bound or a NaN bound never
//! replaces anything. Shaders compare the bits as integers, so the device's float rules do not matter.
//!
//! Each of the four numbers may also lie [on the GPU](manual::gpu_numbers): one for all elements, or one for each index
//! of an axis. The same rules apply to a number read there.
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
//! let gain = clamper
//!     .prepare(&gain, Operands::new(View::of::<f32>(pixels, interleaved), View::of::<f32>(planes, planar)))?;
//! let cap = clamper.prepare(Clamp::at_most(0.9_f32), Operands::in_place(View::of::<f32>(planes, planar)))?;
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
//! none; [`Host::new`] takes the program's own. [`Host::self_test`] runs each dtype and pair of dtypes through every
//! kernel on the device, compares with the reference, and reports differences.
//!
//! A buffer has no dtype, but a [`View`] has one. [`View::of`] takes the dtype from a Rust type; [`View::new`] takes it
//! as a value, for programs that learn it at run time. A clamp of another dtype is refused.
//!
//! # Cargo features
//!
//! No feature is on by default. A program with a device of its own has chosen backends in its own wgpu, and Cargo makes the
//! two one. A program that calls [`Host::open`] turns on `backends`, which is `vulkan`, `metal`, `dx12`, `gles` and
//! `webgpu`, or some of these. Each compiles a backend into wgpu, and has no effect on platforms without it. The crate uses
//! and re-exports [wgpu](https://docs.rs/wgpu/30) 30, and [bytemuck](https://docs.rs/bytemuck) 1, whose `Pod` the elements
//! are.
//!
//! `ndarray`, off by default, turns a view of an [`ndarray`](https://docs.rs/ndarray/0.17) array into a [`Layout`] and
//! back: `Layout::of_view` and `Layout::array_view`. It re-exports ndarray 0.17 as `wgpu_clamp::ndarray`.

/// The examples of the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod arithmetic;
mod error;
mod fragment;
mod gpu;
mod host;
mod kernel;
mod layout;
pub mod manual;
mod operator;
pub mod plan;
pub mod reference;
pub mod self_test;
mod shader;
pub mod standards;
pub mod verify;

pub use bytemuck;
pub use error::{Error, Refusal};
pub use gpu::{Clamper, F16Conversions, Operands, Prepared, View};
pub use half;
pub use host::{ClampSlice, Host, Tensor};
pub use kernel::Limits;
pub use layout::{Layout, MAX_RANK};
#[cfg(feature = "ndarray")]
pub use ndarray;
pub use operator::{
    Clamp, Clamps, DType, Element, ElementVisitor, NanRule, Number, Order, Precision, Rounding, Scalar,
};
pub use plan::Plan;
pub use wgpu;
