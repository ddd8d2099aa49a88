// The bits of an f32 that are no NaN: the step makes none of integers.
//
// Provides: HAS_SPECIALS, from_step_value
// Needs: narrow
//
// Whether there may be NaNs or infinities.
const HAS_SPECIALS: bool = false;

fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return narrow(x);
}
