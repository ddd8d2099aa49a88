//! Where it has run, what has only been compiled, and what to do on a device that nobody has tried.
//!
//! The kernels are WGSL without extensions. A device with [`wgpu::Limits::downlevel_defaults()`] is enough, and no
//! feature is needed: workgroups of 256 invocations, three storage buffers and a uniform buffer in a stage, and bindings of
//! a few hundred bytes would do. All comparisons are of integers, so no result depends on how a device orders or flushes floats;
//! [`Precision::Fast`](crate::Precision::Fast) alone uses float arithmetic.
//!
//! | implementation | run | result |
//! | --- | --- | --- |
//! | Vulkan, Mesa lavapipe 22.3.6 and 25.0.7 (CPU) | test suite; [`Host::self_test`], eight configurations | 57,681,495 elements in each (864 cases; 756 of them on 25.0.7), none differs |
//! | GL, Mesa llvmpipe 22.3.6 (CPU) | the same, two configurations | none differs |
//! | Vulkan, `SwiftShader` (CPU) | [`Host::self_test`], two configurations, 2026-11-23 | 57,681,495 elements in each (864 cases), none differs |
//! | WebGPU, Chromium on `SwiftShader` (CPU) | the browser's tests (148); [`Host::self_test`] (156), two configurations, 2026-11-23 | 51,956,643 elements in each (810 cases), none differs |
//! | WebGPU, Dawn in Node on lavapipe 25.0.7 (CPU) | [`Host::self_test`], two configurations | none differs |
//! | DX12 (FXC) by Wine 10 on lavapipe 25.0.7 (CPU), not on Windows | [`Host::self_test`], two configurations; the GPU tests (2026-11-23) | 51,956,643 elements in each (810 cases), none differs; 127 of 128 tests pass, the other one is about waiting |
//! | DX12 on Windows, Metal, a hardware GPU of any kind | nothing | – |
//!
//! `SwiftShader` flushes subnormals, and judges what is one before it rounds, as the [set of
//! `Fast`](super::precision#the-set-of-fast) allows. `cargo xtask proof` prints the matrix; it stands in
//! `docs/PORTABILITY.md` of the repository, beside what only compilers have seen: SPIR-V, GLSL, HLSL and WGSL of every
//! kernel (`docs/COMPILERS.md`). Metal's compiler has seen none.
//!
//! # On another device
//!
//! ```text
//! cargo run --release --example doctor
//! ```
//!
//! lists the adapters with their drivers and limits, runs [`Host::self_test`] on each, measures them against a copy, and
//! prints a verdict to paste into an issue. A program can do the same before it trusts a device:
//!
//! ```no_run
//! use wgpu_clamp::Host;
//!
//! let host = Host::open_blocking()?;
//! let report = host.self_test().run_blocking()?;
//! if !report.passed() {
//!     eprintln!("{} is not to be trusted:\n{report}", host.adapter());
//! }
//! # Ok::<(), wgpu_clamp::Error>(())
//! ```
//!
//! # wgpu, features, platforms
//!
//! Types of wgpu are those of the re-exported [wgpu](https://docs.rs/wgpu/30), version 30: a program that depends on wgpu itself
//! needs the same major version. Each major version of wgpu is a new major version of this crate (before 1.0, a minor one).
//! The features `vulkan`, `metal`, `dx12`, `gles` and `webgpu` compile that backend into wgpu, all on by default; each is
//! without effect on platforms that lack it. A program with an own device needs none of them here, if its own wgpu has
//! what it uses.
//!
//! On wasm32 everything is there but the functions that end in `_blocking`. WebGL has no compute shaders.
//!
//! [`wgpu::Limits::downlevel_defaults()`]: https://docs.rs/wgpu/30/wgpu/struct.Limits.html#method.downlevel_defaults
//! [`Host::self_test`]: crate::Host::self_test
