// The bits of an f32 that a step makes of a float, of a NaN too.
//
// Provides: HAS_SPECIALS, MAKES_NANS, from_step_value
// Needs: from_single
//
// Whether elements may be NaNs or infinities, and whether the step may make a NaN of an integer.
const HAS_SPECIALS: bool = true;
const MAKES_NANS: bool = false;

fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return from_single(x);
}
