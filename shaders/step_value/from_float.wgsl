// The step values of a conversion from a float.
//
// Provides: HAS_SPECIALS, step_value, from_step_value
// Needs: single, from_single
// Whether there may be NaNs or infinities.
const HAS_SPECIALS: bool = true;

fn step_value(bits: vec4<u32>) -> vec4<u32> {
    return single(bits);
}

fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return from_single(x);
}
