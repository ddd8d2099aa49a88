// From f32s of integers after a step on the GPU: NaN if scale or bias is NaN or infinite.
//
// Provides: HAS_SPECIALS, MAKES_NANS, from_step_value
// Needs: from_single
//
// HAS_SPECIALS: elements may be NaNs or infinities. MAKES_NANS: the step may turn an integer into NaN.
const HAS_SPECIALS: bool = false;
const MAKES_NANS: bool = true;

fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return from_single(x);
}
