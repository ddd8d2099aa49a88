// The bits of an f32, for the exact step that makes the key of a 32-bit integer.
//
// Provides: step_value, from_step_value
// Needs: single, from_number
fn step_value(bits: vec4<u32>) -> vec4<u32> {
    return single(bits);
}

fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return from_number(bitcast<vec4<i32>>(x));
}
