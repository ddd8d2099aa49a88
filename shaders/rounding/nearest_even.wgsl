// Rounds to the nearest integer, ties to even.
//
// Provides: TO_NEAREST, rounded, step_up
const TO_NEAREST: bool = true;

// WGSL's `round` rounds ties to even.
fn rounded(x: vec4<f32>) -> vec4<f32> {
    return round(x);
}

// The correction of a number to which a half was added and which was then rounded down. `low` and `high` are the lowest
// and highest words of the result; `inexact` tells whether rounding lost bits. If it lost none, the number was a tie,
// and an odd result goes down.
fn step_up(low: u32, high: u32, inexact: bool) -> i32 {
    return select(-1, 0, inexact || (low & 1u) == 0u);
}
