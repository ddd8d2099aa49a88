// The step values of a conversion from an integer of up to 16 bits, which an f32 holds.
//
// Provides: HAS_SPECIALS, step_value, from_step_value
// Needs: key, narrow
//
// Whether there may be NaNs or infinities.
const HAS_SPECIALS: bool = false;

fn step_value(bits: vec4<u32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(vec4<f32>(key(bits)));
}

// Arithmetic makes no NaN of numbers.
fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return narrow(x);
}
