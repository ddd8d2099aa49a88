// The operand of a conversion from a float.
//
// Provides: operand
// Needs: single
fn operand(bits: vec4<u32>) -> vec4<u32> {
    return single(bits);
}
