// From f32s of floats, NaNs among them.
//
// Provides: HAS_SPECIALS, MAKES_NANS, from_step_value
// Needs: from_single
//
// HAS_SPECIALS: elements may be NaNs or infinities. MAKES_NANS: the step may turn an integer into NaN.
const HAS_SPECIALS: bool = true;
const MAKES_NANS: bool = false;

fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return from_single(x);
}
