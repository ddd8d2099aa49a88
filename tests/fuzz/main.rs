//! Replays the fuzz target that uses only the public API, without the fuzzer. The target `plan` runs in `src/fuzz.rs`.

use clamp_fuzz::standards;
use clamp_testing::replay::replay;

#[test]
fn standards_take_any_attributes() {
    replay("standards", 20_000, standards::run);
}
