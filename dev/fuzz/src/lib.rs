//! The bodies of the fuzz targets, for cargo-fuzz and for the tests that run them without a fuzzer.

pub mod standards;

use std::fmt::{Debug, Display};

/// Returns the value, or `None` for an error. An error must have a message.
fn accepted<T, E: Debug + Display>(made: Result<T, E>) -> Option<T> {
    made.inspect_err(|error| assert!(!error.to_string().is_empty(), "{error:?}")).ok()
}

/// The body of the target `plan`. Its files lie in `wgpu-clamp`, because the crate's unit tests compile them too, with
/// access to its internals.
#[cfg(fuzzing)]
#[path = "../../../src/fuzz"]
pub mod inside {
    pub mod execute;
    mod layouts;
    pub mod target;
}

#[cfg(fuzzing)]
pub use inside::target as plan;
