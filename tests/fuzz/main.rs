//! Replays the fuzz targets without the fuzzer.

use clamp_fuzz::{plan, standards};
use clamp_testing::replay::replay;

#[test]
fn standards_take_any_attributes() {
    replay("standards", 20_000, standards::run);
}

#[test]
fn plans_from_raw_bytes_are_right_or_refused() {
    let cases = if clamp_testing::harness::exhaustive() { 10_000 } else { 200 };
    replay("plan", cases, plan::run);
}
