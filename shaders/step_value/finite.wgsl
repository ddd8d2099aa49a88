// From f32s that are no NaN: the step turns no integer into one.
//
// Provides: HAS_SPECIALS, MAKES_NANS, from_step_value
// Needs: narrow
//
// HAS_SPECIALS: elements may be NaNs or infinities. MAKES_NANS: the step may turn an integer into NaN.
const HAS_SPECIALS: bool = false;
const MAKES_NANS: bool = false;

fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return narrow(x);
}
