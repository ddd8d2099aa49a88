//! The bodies of the fuzz targets, for cargo-fuzz and for the tests that run them without a fuzzer.

pub mod onnx;
pub mod standards;

/// The body of the target `plan`. It uses the inside of `wgpu-clamp`, so it lies there, and the unit tests compile it for
/// their own types.
#[cfg(fuzzing)]
#[path = "../../src/fuzz"]
pub mod inside {
    pub mod execute;
    mod layouts;
    pub mod target;
}

#[cfg(fuzzing)]
pub use inside::target as plan;
