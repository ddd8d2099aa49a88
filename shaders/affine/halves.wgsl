// Between integers of up to 16 bits: the exact real number, rounded, before saturation, which clamping does: both bounds are
// numbers of the destination. The factor and the addend are in halves, of which the lower has 12 bits, so that nothing
// leaves an i32. `src/arithmetic/halves.rs` finds the numbers.
//
// Provides: Affine, affine
// Needs: numbers, TO_NEAREST
struct Affine {
    factor_high: i32,
    factor_low: i32,
    addend_high: i32, // to nearest, with a half
    addend_low: i32,
    shift: u32,       // bits below one in the sum of the upper halves
    below_low: i32,   // all bits below one
    below_high: i32,
}

fn affine(k: vec4<i32>) -> vec4<i32> {
    let a = numbers();
    let low = k * vec4<i32>(a.factor_low) + vec4<i32>(a.addend_low);
    let high = k * vec4<i32>(a.factor_high) + vec4<i32>(a.addend_high);
    let sum = high + (low >> vec4<u32>(12u));
    let shift = vec4<u32>(a.shift) & vec4<u32>(31u);
    if TO_NEAREST {
        // Nothing below one: a tie, which goes to the even one.
        let below = (low & vec4<i32>(a.below_low)) | (sum & vec4<i32>(a.below_high));
        let floor = sum >> shift;
        return select(floor, floor & vec4<i32>(-2), below == vec4<i32>(0));
    }
    let negative = sum >> vec4<u32>(31u);
    let carry = (low + (negative & vec4<i32>(a.below_low))) >> vec4<u32>(12u);
    return (high + carry + (negative & vec4<i32>(a.below_high))) >> shift;
}
