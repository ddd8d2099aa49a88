// The bits of an f32 that are no NaN: the step makes none of integers.
//
// Provides: HAS_SPECIALS, MAKES_NANS, from_step_value
// Needs: narrow
//
// Whether elements may be NaNs or infinities, and whether the step may make a NaN of an integer.
const HAS_SPECIALS: bool = false;
const MAKES_NANS: bool = false;

fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return narrow(x);
}
