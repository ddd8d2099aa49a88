// Step values, the operands of the step, of a dequantisation from up to 16 bits: the difference to the zero point, which
// an f32 holds exactly.
//
// Provides: step_value
// Needs: key, coefficients
fn step_value(bits: vec4<u32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(vec4<f32>(key(bits) - vec4<i32>(coefficients().zero_point)));
}
