// Converts the step's results, f32s, to the destination. None is a NaN: the step turns no integer into a NaN.
//
// Provides: from_step_value
// Needs: narrow
fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return narrow(x);
}
