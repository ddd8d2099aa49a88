// The operand of a conversion from an integer of up to 16 bits, which an f32 holds.
//
// Provides: HAS_SPECIALS, operand, from_operand
// Needs: key, narrow
//
// Whether there may be NaNs or infinities.
const HAS_SPECIALS: bool = false;

fn operand(bits: vec4<u32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(vec4<f32>(key(bits)));
}

// Arithmetic makes no NaN of numbers.
fn from_operand(x: vec4<u32>) -> vec4<u32> {
    return narrow(x);
}
