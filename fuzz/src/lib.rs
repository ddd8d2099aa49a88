//! The bodies of the fuzz targets, for cargo-fuzz and for the tests that run them without a fuzzer.

pub mod onnx;
#[cfg(not(fuzzing))]
mod replay;
pub mod standards;

#[cfg(not(fuzzing))]
pub use replay::replay;

/// The body of the target `plan`, which the unit tests of `wgpu-clamp` compile as modules of their own: what it holds to is
/// inside of the crate, whose types are others there.
#[cfg(fuzzing)]
#[path = "../../src/fuzz"]
pub mod inside {
    pub mod execute;
    mod layouts;
    pub mod target;
}

#[cfg(fuzzing)]
pub use inside::target as plan;
