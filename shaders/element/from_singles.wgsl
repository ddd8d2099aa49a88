// Integers of up to 32 bits, converted from f32, four at a time.
//
// Provides: StepValue, element, elements, nan_value, nans_replaced, ROUNDS_SINGLES
// Needs: nan_counts_as, affine, step_value, from_step_value
alias StepValue = vec4<u32>;

// Whether the step's f32 is rounded again to the destination.
const ROUNDS_SINGLES: bool = true;

// The f32 that a NaN counts as: 0 or ±∞, which saturates. `nans_replaced` replaces the NaNs of a step's result by it.
fn nan_value(x: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(nan_counts_as(0xff800000u, 0x7f800000u));
}

fn nans_replaced(x: vec4<u32>) -> vec4<u32> {
    return select(x, nan_value(x), (x & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
}

fn elements(bits: vec4<u32>) -> vec4<u32> {
    return from_step_value(affine(step_value(bits)));
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
