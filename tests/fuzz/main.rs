//! Replays the fuzz targets that use only the public API, without the fuzzer. The target `plan` runs in
//! `src/fuzz.rs`.

use clamp_fuzz::{onnx, standards};
use clamp_testing::replay::replay;

/// The most bytes that a target may hold at once per byte of input. The number is high because an empty
/// protocol-buffer message of two bytes becomes a struct with all of its fields.
const BYTES_PER_BYTE: u64 = 512;

/// Further bytes that a target may hold whatever the input, for example for error messages.
const BYTES_OF_ANY: u64 = 1 << 16;

/// Wraps a target; asserts that it holds no more bytes than allowed.
fn sparing(run: fn(&[u8])) -> impl Fn(&[u8]) {
    move |bytes| {
        let taken = allocation_counter::measure(|| run(bytes)).bytes_max;
        let most = BYTES_OF_ANY + BYTES_PER_BYTE * bytes.len() as u64;
        assert!(taken <= most, "{} bytes of input took {taken}", bytes.len());
    }
}

#[test]
fn standards_take_any_attributes() {
    replay(&["fuzz/seeds/standards"], 20_000, standards::run);
}

#[test]
fn the_onnx_reader_takes_any_bytes() {
    replay(&["fuzz/seeds/onnx"], 10_000, sparing(onnx::run));
}
