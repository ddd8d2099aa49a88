// Integers of up to 16 bits that are converted from floats, four at a time, by way of an f32.
//
// Provides: StepValue, Bounds, element, elements, ROUNDS_SINGLES, KEEPS_NANS, from_single
// Needs: bounds, affine, step_value, from_step_value, rounded, from_key, IS_UNSIGNED
alias StepValue = vec4<u32>;

// Whether the bits of a NaN count.
const KEEPS_NANS: bool = false;

struct Bounds {
    min: i32, // keys, which are the numbers; an absent bound is the lowest or the highest
    max: i32,
    nan: u32, // what a NaN counts as, an f32
}

// A number in the order of the f32 of these bits, and back: the magnitude is inverted where the sign is set. Where no
// bound is negative, all numbers with a sign are below them, in whatever order.
fn ordered(bits: vec4<u32>) -> vec4<i32> {
    let x = bitcast<vec4<i32>>(bits);
    if IS_UNSIGNED {
        return x;
    }
    return x ^ ((x >> vec4<u32>(31u)) & vec4<i32>(0x7fffffff));
}

fn bound(number: vec4<i32>) -> vec4<i32> {
    return ordered(bitcast<vec4<u32>>(vec4<f32>(number)));
}

// Bounds are integers: what is within them before it is rounded is so afterwards. Conversions of f32 to i32 agree
// between devices for numbers that an i32 holds, and not beyond.
fn from_single(x: vec4<u32>) -> vec4<u32> {
    let b = bounds();
    let is_nan = (x & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u);
    let number = ordered(select(x, vec4<u32>(b.nan), is_nan));
    let within = max(bound(vec4<i32>(b.min)), min(number, bound(vec4<i32>(b.max))));
    let number_within = bitcast<vec4<f32>>(ordered(bitcast<vec4<u32>>(within)));
    return from_key(vec4<i32>(rounded(number_within)));
}

// Whether an f32 is rounded once more.
const ROUNDS_SINGLES: bool = true;

fn elements(bits: vec4<u32>) -> vec4<u32> {
    return from_step_value(affine(step_value(bits)));
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
