// The operand of a conversion from a float.
//
// Provides: HAS_SPECIALS, operand
// Needs: single
// Whether there may be NaNs or infinities.
const HAS_SPECIALS: bool = true;

fn operand(bits: vec4<u32>) -> vec4<u32> {
    return single(bits);
}
