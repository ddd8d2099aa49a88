// From f32s that are no NaN: the step turns no integer into one.
//
// Provides: from_step_value
// Needs: narrow
fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return narrow(x);
}
