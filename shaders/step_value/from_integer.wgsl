// Step values, the operands of the affine step, of a conversion from an integer of up to 16 bits: an f32 holds the
// integer exactly.
//
// Provides: step_value
// Needs: key
fn step_value(bits: vec4<u32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(vec4<f32>(key(bits)));
}
