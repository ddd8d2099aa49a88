//! Where the crate has run, and what to do on another device.
//!
//! The kernels are WGSL without extensions. A device with [`wgpu::Limits::downlevel_defaults()`] and no features
//! suffices: the kernels use workgroups of 256 invocations, and four storage buffers and a uniform buffer per stage.
//! They compare integers; only [`Precision::Fast`] depends on how a device rounds floats.
//!
//! [`Host::self_test`] has run on drivers for the CPU, of Vulkan, GL and WebGPU (in Node); and with the kernels before those of
//! 2026-11-28 in Chromium, on DX12 (under Wine, not on Windows) and on Vulkan on an NVIDIA H200: no element differs. On the H200
//! the test suite found one wrong result, of fast F64; with Microsoft's compiler FXC the self-test found two, of exact steps and
//! of a zero's sign. All are mended. **DX12 on Windows, Metal and all other GPUs are untested.** `docs/PORTABILITY.md` of the
//! repository has versions, dates and counts.
//!
//! # On another device
//!
//! ```text
//! cargo run --release --example doctor -- --report report.md
//! ```
//!
//! In a clone, this runs [`Host::self_test`] on each adapter, measures a few clamps beside a copy, and writes a report for
//! an issue. The page of `cargo xtask web` does the same in a browser. A program can run the self-test too:
//!
//! ```no_run
//! use wgpu_clamp::Host;
//!
//! let host = Host::open_blocking()?;
//! let report = host.self_test().run_blocking()?;
//! if !report.passed() {
//!     eprintln!("{} is not to be trusted:\n{report}", host.description());
//! }
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! # wgpu, features, platforms
//!
//! The crate re-exports [wgpu](https://docs.rs/wgpu/30) 30; a program with its own wgpu needs the same major version. A
//! new major version of wgpu is a new major version of this crate (before 1.0, a minor one). The features `vulkan`,
//! `metal`, `dx12`, `gles` and `webgpu` each compile a backend into wgpu, and `backends` compiles all five; none is on by default.
//! A program with its own device needs none of them here.
//!
//! wasm32 lacks only `Host::open_nth` and the functions that end in `_blocking`. WebGL has no compute shaders.
//!
//! [`wgpu::Limits::downlevel_defaults()`]: https://docs.rs/wgpu/30/wgpu/struct.Limits.html#method.downlevel_defaults

#[cfg(doc)]
use crate::{Host, Precision};
