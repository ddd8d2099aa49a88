// An integer of 32 bits as it is, for the exact step, which makes the bits of an f32 of it.
//
// Provides: step_value
fn step_value(bits: vec4<u32>) -> vec4<u32> {
    return bits;
}
