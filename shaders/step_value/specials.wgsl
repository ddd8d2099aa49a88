// The bits of an f32, of a NaN too: elements are such, or scale and bias are found on the GPU.
//
// Provides: HAS_SPECIALS, from_step_value
// Needs: from_single
//
// Whether there may be NaNs or infinities.
const HAS_SPECIALS: bool = true;

fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return from_single(x);
}
