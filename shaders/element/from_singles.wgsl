// Integers of up to 32 bits, converted from f32, four at a time.
//
// Provides: StepValue, Bounds, read_bounds, element, elements, nan_value, nans_replaced, ROUNDS_SINGLES
// Needs: bound_keys, nan_counts_as, bounds, affine, step_value, from_step_value
alias StepValue = vec4<u32>;

struct Bounds {
    min: i32, // keys
    max: i32,
    nan: u32, // the bits of the f32 that a NaN counts as: ±∞ saturates
}

fn read_bounds(channel: u32) -> Bounds {
    let keys = bound_keys(channel);
    return Bounds(keys.x, keys.y, nan_counts_as(0xff800000u, 0x7f800000u));
}

// Whether the step's f32 is rounded again to the destination.
const ROUNDS_SINGLES: bool = true;

// The f32 that a NaN counts as. `nans_replaced` replaces the NaNs of a step's result by this f32.
fn nan_value(x: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(bounds().nan);
}

fn nans_replaced(x: vec4<u32>) -> vec4<u32> {
    return select(x, vec4<u32>(bounds().nan), (x & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
}

fn elements(bits: vec4<u32>) -> vec4<u32> {
    return from_step_value(affine(step_value(bits)));
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
