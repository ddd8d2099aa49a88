// Step values, the operands of the affine step, of an exact step from a 32-bit integer: the integer itself.
//
// Provides: step_value
fn step_value(bits: vec4<u32>) -> vec4<u32> {
    return bits;
}
