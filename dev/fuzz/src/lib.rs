//! The bodies of the fuzz targets, for cargo-fuzz and for the tests that run them without a fuzzer.

mod layouts;
pub mod plan;
pub mod standards;
