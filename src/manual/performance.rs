//! How to call the crate for speed, how fast it is, how to measure it, and when a loop on the CPU is faster.
//!
//! A clamp moves bytes and computes little, so a speed is a ratio to a copy of the same bytes: **1 is the copy's
//! speed**.
//!
//! # In a program
//!
//! - Call [`Clamper::prepare`] once and [`Prepared::record`] in every frame if the buffers stay the same. If only the
//!   layouts do, [`Prepared::rebind`] to the frame's buffers. `encode` plans, and creates bind groups and parameters, each
//!   time:
//!
//!   | CPU time of a call | in a loop | between frames | in Bevy 0.20 | in vello 0.11 |
//!   | --- | --- | --- | --- | --- |
//!   | [`Clamper::encode`] | 12 µs | 40 µs | 49 to 57 µs | 146 to 171 µs |
//!   | the same by hand, with a buffer of parameters | 8 to 18 µs | 26 µs | | |
//!   | [`Prepared::rebind`] and `record` in a pass | 7.8 µs | 18 µs | 18 to 19 µs | 65 to 76 µs |
//!   | the same by hand, with a bind group | 7.1 µs | 15 µs | 14 to 15 µs | 49 to 55 µs |
//!
//!   (One clamp of 4 KiB on lavapipe 22.3.6, two busy cores, 2026-11-28, medians of 15 rounds of `cargo xtask bench --only "CPU
//!   time"`. In a loop: 50 calls, then a submission, whose time counts. Between frames: the call alone in each of 50 frames,
//!   each submitted and awaited, with 2 ms of sleep before the next. Caches are cold then. In frames of Bevy and vello: medians of programs of 40
//!   frames, built for speed, 2026-11-29.)
//! - Compile ahead: the first call of its kind takes 33 ms for a compiler, after [`Clamper::compile`] 0.25 ms (a picture to planes
//!   of F16, lavapipe 22.3.6, 2026-11-28; the driver's own part of the compilation apart).
//! - Record several clamps in one pass: of 1,000 clamps of 4 KiB, each takes 2.8 µs of the CPU.
//! - Convert, permute and clamp in one call. A further pass reads and writes the tensor once more.
//! - Work in place: it saves a buffer, and some memory traffic.
//! - For F16 on a device of your own, call [`Host::check_f16`] once and give the answer to
//!   [`Clamper::with_f16_conversions`]. F16 becomes as fast as F32 on many GPUs, if the device's conversions are right.
//!   [`Host::open`] does so.
//! - Packed layouts, and rows that begin at multiples of 16 bytes, are fastest. The [`Plan`] in the log names the kernels:
//!   `stream` moves packets of 16 bytes along the output, `boxes` turn (planes to pixels, transposes), `words` takes the rest,
//!   word by word.
//!
//! # Measured
//!
//! `benches/RESULTS.md` of the repository has the ratios. On an NVIDIA H200 (2026-11-26, with the kernels before
//! those of 2026-11-28, which no GPU has run), contiguous clamps of 256 MiB reach 0.95 to 0.96 of a copy kernel; torch takes as
//! long. Most else is slow: of 294 pairs of layout and dtypes the median is 0.46, and a plain kernel beats 127. On Mesa's
//! lavapipe, a driver on the CPU, contiguous clamps of F32, F16 and U8 reached 0.90 to 0.99 of a copy (2026-11-28, with the
//! kernels before); of today's, a plain kernel beats one of 334 such pairs, by a hundredth.
//!
//! # On the CPU
//!
//! **A loop clamps data in host memory faster, at any size, if the clamp has only bounds.** The copies to and from the
//! GPU take as long as the loop. "A loop" is `iter().zip()` over slices, compiled for plain x86-64:
//!
//! | | 4 KiB | 64 KiB | 1 MiB | 16 MiB | 256 MiB |
//! | --- | --- | --- | --- | --- | --- |
//! | clamp of F32: [`Host::clamp_slice`] | 274 µs | 320 µs | 975 µs | 13.5 ms | 151 ms |
//! | clamp of F32: a loop | 0.2 µs | 2.0 µs | 44 µs | 2.5 ms | 27 ms |
//! | scale, bias, clamp of F16: `clamp_slice` | 315 µs | 347 µs | 1.35 ms | 13.4 ms | 161 ms |
//! | scale, bias, clamp of F16: a loop, by `half` | 19 µs | 360 µs | 5.8 ms | 84 ms | 1,380 ms |
//!
//! (lavapipe 22.3.6 on two cores, one thread for the loop, 2026-11-22. A GPU computes
//! faster, and the copies remain.) For F16, which the loop converts in software, the GPU pays off from **256 KiB** on;
//! for F32 never.
//!
//! On the same machine, a submission with a clamp of 4 KiB takes 0.1 to 0.2 ms, an empty submission 45 µs.
//!
//! So use the GPU if the data is or stays there, or if the CPU would work hard: F16 and BF16 without hardware conversion,
//! `Exact`, several steps at once. [`reference`](mod@crate::reference) is made to be checked, not to be fast: 34 ns per
//! element.
//!
//! # Profiling
//!
//! [wgpu-profiler](https://docs.rs/wgpu-profiler) measures passes by GPU timestamps, if the device has `TIMESTAMP_QUERY`.
//! [`Prepared::record`] takes its scopes: `clamp.record(&mut scope.scoped_compute_pass("clamps"))`.
//! One clamp within a pass takes `&mut pass.scope("relu6")`, which needs `TIMESTAMP_QUERY_INSIDE_PASSES`. Subtract the time of
//! an empty pass. [`Operands::with_label`] names a call: its pass, or a debug group in yours.

#[cfg(doc)]
use crate::{Clamper, Host, Operands, Plan, Prepared};
