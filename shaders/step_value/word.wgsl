// A 32-bit integer, for the exact step that makes the bits of an f32.
//
// Provides: step_value
fn step_value(bits: vec4<u32>) -> vec4<u32> {
    return bits;
}
