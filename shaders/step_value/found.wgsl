// The bits of an f32 that a step found on the GPU makes of an integer: a NaN where scale or bias is none of its numbers.
//
// Provides: HAS_SPECIALS, MAKES_NANS, from_step_value
// Needs: from_single
//
// Whether elements may be NaNs or infinities, and whether the step may make a NaN of an integer.
const HAS_SPECIALS: bool = false;
const MAKES_NANS: bool = true;

fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return from_single(x);
}
