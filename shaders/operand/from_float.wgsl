// The operand of a conversion from a float.
//
// Provides: HAS_SPECIALS, operand, from_operand
// Needs: single, from_single
// Whether there may be NaNs or infinities.
const HAS_SPECIALS: bool = true;

fn operand(bits: vec4<u32>) -> vec4<u32> {
    return single(bits);
}

fn from_operand(x: vec4<u32>) -> vec4<u32> {
    return from_single(x);
}
