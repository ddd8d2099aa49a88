// Integers toward zero.
//
// Provides: TO_NEAREST, rounded, step_up
const TO_NEAREST: bool = false;

// Of a number within i32, what a conversion to i32 then cuts off at its point.
fn rounded(x: vec4<f32>) -> vec4<f32> {
    return x;
}

// What a number that was rounded down changes by: `low` and `high` are its lowest and its highest word, `inexact` tells
// whether that lost something. Below zero it goes up.
fn step_up(low: u32, high: u32, inexact: bool) -> i32 {
    return select(0, 1, inexact && (high >> 31u) != 0u);
}
