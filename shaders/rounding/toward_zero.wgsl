// Rounds to an integer, toward zero.
//
// Provides: TO_NEAREST, rounded, step_up
const TO_NEAREST: bool = false;

// Returns the number unchanged: the caller's conversion to an integer truncates.
fn rounded(x: vec4<f32>) -> vec4<f32> {
    return x;
}

// The correction of a number that was rounded down. `low` and `high` are the lowest and highest words of the result;
// `inexact` tells whether rounding lost bits. A negative inexact result goes up.
fn step_up(low: u32, high: u32, inexact: bool) -> i32 {
    return select(0, 1, inexact && (high >> 31u) != 0u);
}
