// Integers of up to 32 bits, converted from f32, four at a time.
//
// Provides: StepValue, element, elements, ROUNDS_SINGLES, KEEPS_NANS
// Needs: affine, step_value, from_step_value
alias StepValue = vec4<u32>;

// Whether the step's f32 is rounded once more.
const ROUNDS_SINGLES: bool = true;

// Whether the bits of a NaN matter.
const KEEPS_NANS: bool = false;

fn elements(bits: vec4<u32>) -> vec4<u32> {
    return from_step_value(affine(step_value(bits)));
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
