// Integers of up to 16 bits: the exact value of `x * scale + bias`, rounded. The clamp saturates, since both bounds are
// numbers of the destination. Factor and addend are split into their low 12 bits and the rest, so no product exceeds an
// i32. `src/arithmetic/halves.rs` finds the numbers.
//
// Provides: Coefficients, read_coefficients, affine
// Needs: number, coefficients, TO_NEAREST
struct Coefficients {
    factor_high: i32,
    factor_low: i32,
    addend_high: i32, // plus a half if rounding to nearest
    addend_low: i32,
    shift: u32,       // fraction bits in the sum of the upper halves
    below_low: i32,   // masks of the fraction bits, in the lower and in the upper half
    below_high: i32,
}

fn read_coefficients(channel: u32) -> Coefficients {
    let shift = number(channel, 6u) & 31u;
    return Coefficients(
        bitcast<i32>(number(channel, 2u)),
        bitcast<i32>(number(channel, 3u)),
        bitcast<i32>(number(channel, 4u)),
        bitcast<i32>(number(channel, 5u)),
        shift,
        0xfff,
        bitcast<i32>((1u << shift) - 1u),
    );
}

fn affine(k: vec4<i32>) -> vec4<i32> {
    let a = coefficients();
    let low = k * vec4<i32>(a.factor_low) + vec4<i32>(a.addend_low);
    let high = k * vec4<i32>(a.factor_high) + vec4<i32>(a.addend_high);
    let sum = high + (low >> vec4<u32>(12u));
    let shift = vec4<u32>(a.shift);
    if TO_NEAREST {
        // If no fraction bit is set, the number is a tie and goes to even.
        let below = (low & vec4<i32>(a.below_low)) | (sum & vec4<i32>(a.below_high));
        let floor = sum >> shift;
        return select(floor, floor & vec4<i32>(-2), below == vec4<i32>(0));
    }
    let negative = sum >> vec4<u32>(31u);
    let carry = (low + (negative & vec4<i32>(a.below_low))) >> vec4<u32>(12u);
    return (high + carry + (negative & vec4<i32>(a.below_high))) >> shift;
}
