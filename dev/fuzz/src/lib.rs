//! The bodies of the fuzz targets, for cargo-fuzz and for the tests that run them without a fuzzer.

mod layouts;
pub mod plan;
pub mod standards;

use std::fmt::{Debug, Display};

/// Returns the value, or `None` for an error. An error must have a message.
fn accepted<T, E: Debug + Display>(made: Result<T, E>) -> Option<T> {
    made.inspect_err(|error| assert!(!error.to_string().is_empty(), "{error:?}")).ok()
}
