//! Replays the fuzz targets without the fuzzer.

use clamp_fuzz::{plan, standards};
use clamp_testing::executed::Run;
use clamp_testing::harness::exhaustive;
use clamp_testing::replay::{replay, vary};

#[test]
fn standards_take_any_attributes() {
    replay("standards", standards::run);
    vary("standards", 20_000, standards::run);
}

#[test]
fn plans_of_the_seeds_are_right_or_refused() {
    replay("plan", |bytes| plan::run(bytes, Some(&Run::execute)));
}

#[test]
fn plans_from_raw_bytes_are_right_or_refused() {
    let cases = if exhaustive() { 10_000 } else { 150 };
    vary("plan", cases, |bytes| plan::run(bytes, Some(&Run::execute)));
}

/// Planning takes microseconds, so far more inputs are planned than executed.
#[test]
fn any_layouts_have_a_plan_or_a_fault() {
    vary("plan", 5_000, |bytes| plan::run(bytes, None));
}
