// From the keys that the exact step makes of f32s.
//
// Provides: from_step_value
// Needs: from_number
fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return from_number(bitcast<vec4<i32>>(x));
}
