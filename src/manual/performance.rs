//! Fast: what it costs, how to measure it, and when a loop on the CPU is the better choice.
//!
//! A clamp moves bytes and computes next to nothing, so **1 is the speed of a copy** of the same bytes.
//!
//! # In a program
//!
//! - [`Clamper::prepare`](crate::Clamper::prepare) once and [`Prepared::record`](crate::Prepared::record) in every frame,
//!   where the buffers are the same. `encode` makes the bind groups and parameters anew: 15 µs of the CPU on lavapipe.
//! - One pass for several clamps: 1,000 of 4 KiB, recorded one after the other, take 2.8 µs of the CPU each.
//! - Convert, permute and clamp in one call. Each pass of its own reads and writes the tensor once more.
//! - In place saves a buffer, and some of the memory traffic.
//! - What is packed, or in rows that begin at multiples of 16 bytes, is fastest; odd pitches take two thirds of that
//!   speed, transposes half. The [`Plan`](crate::Plan) in the log names the kernel and what an invocation moves:
//!
//! | kernel | what it takes |
//! | --- | --- |
//! | `block` | whole packets of 16 bytes of the destination: runs and rows that begin anywhere, pictures and planes, mirrored or turned, transposes, pixels with gaps or with a clamp for each channel, conversions; the parentheses tell what one invocation moves |
//! | `gather` | all else, a word of the destination or a larger element at a time, and parts that whole blocks leave |
//!
//! # Measured
//!
//! Their time over ours, 64 MiB on Mesa's lavapipe 22.3.6, a driver on the CPU (2026-11-22). `cargo xtask bench` prints the
//! whole table; `benches/RESULTS.md` of the repository has it, with what missed its goal. **Not measured on a GPU.**
//!
//! | | ratio to a copy |
//! | --- | --- |
//! | clamp of any dtype, contiguous | 0.94 to 1.12 |
//! | the same in place | 0.98 to 1.13 |
//! | scale, bias, clamp (`Fast`): F32, F16, BF16, F64 | 0.91, 0.78, 0.85, 1.15 |
//! | scale, bias, clamp: 8, 16, 32, 64 bits of integer | 0.92, 0.83, 0.66, 0.57 |
//! | scale, bias, clamp, `Exact`: F32, F16, BF16, F64 | 0.57, 0.37, 0.34, 0.12 |
//! | rows with an odd pitch | 0.65 to 0.78 |
//! | a transpose of a matrix | 0.49 to 0.56 |
//! | 3 channels, interleaved to planar: F32, F16, U8 | 0.93, 0.91, 0.91 |
//!
//! By the instruction counts of AMD's compiler and a roofline, clamps of all dtypes run at the speed of a copy on five
//! common GPUs; that is a calculation.
//!
//! # On the CPU
//!
//! **Data that starts and ends in host memory, and takes bounds alone, is clamped faster by a loop, at any size.** The loop
//! reads and writes each element once; the way through a GPU copies them in and out before and after, which alone takes
//! as long. "A loop" here is `iter().zip()` over the slices, compiled for x86-64 without further instructions:
//!
//! | | 4 KiB | 64 KiB | 1 MiB | 16 MiB | 256 MiB |
//! | --- | --- | --- | --- | --- | --- |
//! | clamp of F32: [`Host::clamp_slice`](crate::Host::clamp_slice) | 274 µs | 320 µs | 975 µs | 13.5 ms | 151 ms |
//! | clamp of F32: a loop | 0.2 µs | 2.0 µs | 44 µs | 2.5 ms | 27 ms |
//! | scale, bias, clamp of F16: `clamp_slice` | 315 µs | 347 µs | 1.35 ms | 13.4 ms | 161 ms |
//! | scale, bias, clamp of F16: a loop, by `half` | 19 µs | 360 µs | 5.8 ms | 84 ms | 1,380 ms |
//!
//! (`cargo xtask bench --growth`, lavapipe 22.3.6 on two cores, one thread for the loop, 2026-11-22. On a GPU the
//! dispatches take less and the copies remain.) For F16, which the loop converts in software, both take as long at 64
//! KiB, and the way there pays from **256 KiB** on; for F32 never. (Integers were not measured; their loop does as little.)
//!
//! What a small clamp costs where the data is on the GPU, submitted and waited for, on the same machine: an empty submission
//! 45 µs, one with a clamp of 4 KiB 0.1 to 0.2 ms.
//!
//! So the GPU pays where the data is there already or stays there, and where the CPU would work hard: F16 and BF16 without
//! hardware conversion, `Exact`, several steps in one pass. [`reference`](mod@crate::reference) is right everywhere but
//! made to be checked, not to be fast: 34 ns an element.
//!
//! # Profiling
//!
//! [wgpu-profiler](https://docs.rs/wgpu-profiler) measures passes by the GPU's timestamps. A prepared clamp records into its
//! pass as into any other:
//!
//! ```no_run
//! use wgpu_clamp::{Prepared, wgpu};
//! use wgpu_profiler::{GpuProfiler, GpuProfilerSettings};
//!
//! # fn f(device: &wgpu::Device, queue: &wgpu::Queue, clamps: &[Prepared]) -> Result<(), Box<dyn std::error::Error>> {
//! // The device was created with `Features::TIMESTAMP_QUERY`, and for the scope of the encoder
//! // `TIMESTAMP_QUERY_INSIDE_ENCODERS`, where the adapter has them.
//! let mut profiler = GpuProfiler::new(device, GpuProfilerSettings::default())?;
//!
//! let mut encoder = device.create_command_encoder(&Default::default());
//! {
//!     let mut scope = profiler.scope("frame", &mut encoder);
//!     let mut pass = scope.scoped_compute_pass("clamps");
//!     clamps.iter().for_each(|clamp| clamp.record(&mut pass));
//! }
//! profiler.resolve_queries(&mut encoder);
//! queue.submit([encoder.finish()]);
//! profiler.end_frame()?;
//!
//! device.poll(wgpu::PollType::wait_indefinitely())?;
//! for scope in profiler.process_finished_frame(queue.get_timestamp_period()).unwrap_or_default() {
//!     for pass in scope.nested_queries {
//!         if let Some(time) = pass.time {
//!             println!("{}: {:.1} µs", pass.label, (time.end - time.start) * 1e6);
//!         }
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! To tell a clamp from the other dispatches of a pass, open a scope within the pass: `Prepared::record` takes
//! `&mut pass.scope("relu6")`. That needs `TIMESTAMP_QUERY_INSIDE_PASSES`, which not every GPU has; without it, give the clamp
//! a pass of its own. Where a feature is missing, `time` is `None`. Subtract what an empty pass takes.
//!
//! Pipelines and shader modules are labelled `wgpu-clamp` and their names, which tools such as `RenderDoc` show.
