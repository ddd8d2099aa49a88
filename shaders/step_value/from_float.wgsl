// Step values, the operands of the affine step, of a conversion from a float.
//
// Provides: step_value
// Needs: single
fn step_value(bits: vec4<u32>) -> vec4<u32> {
    return single(bits);
}
