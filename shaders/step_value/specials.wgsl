// Converts the step's results, f32s that may be NaNs, to the destination.
//
// Provides: from_step_value
// Needs: from_single
fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return from_single(x);
}
