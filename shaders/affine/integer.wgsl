// Integers of up to 32 bits: the exact value of `x * scale + bias`, rounded and saturated. Computed in 64 bits.
// `src/arithmetic/integer.rs` chooses the numbers below and derives why they suffice.
//
// Provides: Coefficients, read_coefficients, affine
// Needs: numbers, coefficients, StepValue, KEY_BASE, step_up, multiply, add, shift_right_signed
struct Coefficients {
    lowest: i32,  // a key outside `lowest` to `highest` gets the result of the nearer end
    highest: i32,
    origin: i32,  // subtracted from the key
    factor: i32,  // the scale is factor * 2^(shift_left - shift_right)
    shift_left: u32,
    shift_right: u32,
    inexact: u32,         // not 0: addend or offset was rounded down
    below_one: vec2<u32>, // mask of the bits that the shift to the right drops
    addend: vec2<u32>,    // added before the shift to the right
    offset: vec2<u32>,    // added after the shift
}

fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    let keys = bitcast<vec4<i32>>(first);
    let second = numbers(channel, 1u);
    let third = numbers(channel, 2u);
    let shift_right = (second.z >> 8u) & 0xffu;
    let ones = (1u << (shift_right & 31u)) - 1u;
    let below_one = select(vec2<u32>(ones, 0u), vec2<u32>(0xffffffffu, ones), shift_right >= 32u);
    let addend = vec2<u32>(second.w, third.x);
    return Coefficients(
        keys.z, keys.w, bitcast<i32>(second.x), bitcast<i32>(second.y), second.z & 0xffu, shift_right, second.z >> 16u,
        below_one, addend, third.yz);
}

fn affine_of_one(k: i32) -> i32 {
    let a = coefficients();
    let x = (max(a.lowest, min(k, a.highest)) - a.origin) << a.shift_left;
    // The signed product is the unsigned one minus 2^32 times the other factor for each negative factor.
    let unsigned = multiply(bitcast<u32>(x), bitcast<u32>(a.factor));
    let correction = select(0, a.factor, x < 0) + select(0, x, a.factor < 0);
    let product = vec2<u32>(unsigned.x, unsigned.y - bitcast<u32>(correction));

    let sum = add(product, a.addend);
    let floored = add(shift_right_signed(sum, a.shift_right), a.offset);
    let fraction = (sum.x & a.below_one.x) | (sum.y & a.below_one.y) | a.inexact;
    let up = step_up(floored.x, floored.y, fraction != 0u);
    let result = add(floored, bitcast<vec2<u32>>(vec2<i32>(up, up >> 31u)));

    // A number beyond all keys saturates; the bounds do the rest.
    let high = bitcast<i32>(result.y);
    let fits = high == (bitcast<i32>(result.x & ~KEY_BASE) >> 31u);
    return select(0x7fffffff ^ (high >> 31u), bitcast<i32>(result.x ^ KEY_BASE), fits);
}

// Calls in a loop: compilers inline each call, and four copies would take seconds to compile.
fn affine(x: StepValue) -> StepValue {
    var all = x;
    for (var i = 0u; i < 4u; i++) {
        all = StepValue(all.yzw, affine_of_one(all.x));
    }
    return all;
}
