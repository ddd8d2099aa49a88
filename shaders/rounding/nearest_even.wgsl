// Integers to nearest, ties to even.
//
// Provides: TO_NEAREST, rounded, step_up
const TO_NEAREST: bool = true;

// Rounds a number within i32.
fn rounded(x: vec4<f32>) -> vec4<f32> {
    return round(x);
}

// The correction of a number that got a half added and was rounded down. `low` and `high` are its lowest and highest
// words, `inexact` tells whether rounding lost bits. If it lost none, the number was a tie, and an odd result goes
// down.
fn step_up(low: u32, high: u32, inexact: bool) -> i32 {
    return select(-1, 0, inexact || (low & 1u) == 0u);
}
