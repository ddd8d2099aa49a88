// Integers to nearest, ties to even.
//
// Provides: TO_NEAREST, rounded, step_up
const TO_NEAREST: bool = true;

// Of a number within i32.
fn rounded(x: vec4<f32>) -> vec4<f32> {
    return round(x);
}

// What a number that was rounded down, after a half was added, changes by: `low` and `high` are its lowest and its
// highest word, `inexact` tells whether that lost something. If not, it was a tie, and an odd one goes down.
fn step_up(low: u32, high: u32, inexact: bool) -> i32 {
    return select(-1, 0, inexact || (low & 1u) == 0u);
}
