// Integers of up to 32 bits: the exact value of `x * scale + bias`, rounded and saturated. Computed in 64 bits.
// `src/arithmetic/integer.rs` chooses the numbers below and derives why they suffice.
//
// Provides: Affine, affine
// Needs: numbers, StepValue, step_up, multiply, add, shift_right_signed
struct Affine {
    lowest: i32,  // a key outside `lowest` to `highest` gets the result of the nearer end
    highest: i32,
    origin: i32,  // subtracted from the key
    factor: i32,  // the scale is factor * 2^(shift_left - shift_right)
    shift_left: u32,
    shift_right: u32,
    inexact: u32,     // 1: addend or offset was rounded down
    minimum: i32,     // keys of the destination's smallest and greatest number
    maximum: i32,
    addend: vec2<u32>, // added before the shift to the right
    below_one: vec2<u32>, // mask of the bits that the shift to the right drops
    offset: vec2<u32>, // added after the shift
    rebase: vec2<u32>, // a key minus its number
}

fn affine_of_one(k: i32) -> i32 {
    let a = numbers();
    let x = (max(a.lowest, min(k, a.highest)) - a.origin) << a.shift_left;
    // The signed product is the unsigned one minus 2^32 times the other factor for each negative factor.
    let unsigned = multiply(bitcast<u32>(x), bitcast<u32>(a.factor));
    let correction = select(0, a.factor, x < 0) + select(0, x, a.factor < 0);
    let product = vec2<u32>(unsigned.x, unsigned.y - bitcast<u32>(correction));

    let sum = add(product, a.addend);
    let floored = add(shift_right_signed(sum, a.shift_right), a.offset);
    let fraction = (sum.x & a.below_one.x) | (sum.y & a.below_one.y) | a.inexact;
    let up = step_up(floored.x, floored.y, fraction != 0u);
    let rebased = add(add(floored, bitcast<vec2<u32>>(vec2<i32>(up, up >> 31u))), a.rebase);

    let low = bitcast<i32>(rebased.x);
    let high = bitcast<i32>(rebased.y);
    let fits = high == (low >> 31u);
    return select(select(a.maximum, a.minimum, high < 0), max(a.minimum, min(low, a.maximum)), fits);
}

// Calls in a loop: compilers inline each call, and four copies would take seconds to compile.
fn affine(x: StepValue) -> StepValue {
    var all = x;
    for (var i = 0u; i < 4u; i++) {
        all = StepValue(all.yzw, affine_of_one(all.x));
    }
    return all;
}
