//! The bodies of the fuzz targets, for cargo-fuzz and for the tests that run them without a fuzzer.

pub mod onnx;
pub mod standards;

use std::fmt::{Debug, Display};

/// The value, or nothing after an error, which must have a message.
fn accepted<T, E: Debug + Display>(made: Result<T, E>) -> Option<T> {
    made.inspect_err(|error| assert!(!error.to_string().is_empty(), "{error:?}")).ok()
}

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
