// The step values of a conversion from an integer of up to 16 bits, which an f32 holds.
//
// Provides: step_value
// Needs: key
fn step_value(bits: vec4<u32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(vec4<f32>(key(bits)));
}
