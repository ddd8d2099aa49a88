//! Tests the library in a browser, through its asynchronous functions alone.
//!
//! A browser without WebGPU fails these tests: none is skipped. Each test opens a device of its own.

#![cfg(target_arch = "wasm32")]

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

mod channels;
mod elements;
mod encoder;
mod errors;
mod harness;
mod host;
mod layer;
mod layouts;
mod lost;
#[path = "../../../../examples/quantize.rs"]
mod quantize;
mod self_test;
mod slots;

use clamp_testing::{random, values};
