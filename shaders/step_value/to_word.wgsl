// Converts the results of `affine/single_to_word.wgsl`, which are keys, to the destination.
//
// Provides: from_step_value
// Needs: from_number
fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return from_number(bitcast<vec4<i32>>(x));
}
