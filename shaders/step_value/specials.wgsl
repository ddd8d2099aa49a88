// From f32s, NaNs among them.
//
// Provides: from_step_value
// Needs: from_single
fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return from_single(x);
}
