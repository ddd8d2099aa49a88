// From 32-bit integers to integers of up to 16 bits: the exact value of `x * scale + bias`, rounded. The clamp
// saturates, since both bounds are numbers of the destination. Keys are limited to `lowest` and `highest`, beyond which
// all results saturate. The distance from one end then fits 24 bits, and the factor is split into three bytes, so no
// product exceeds 32 bits. `src/arithmetic/thirds.rs` finds the numbers.
//
// Provides: Affine, affine
// Needs: numbers, TO_NEAREST
struct Affine {
    lowest: i32,      // a key outside `lowest` to `highest` gets the result of the nearer end
    highest: i32,
    flip: i32,        // all ones if the scale is negative: keys count down from the highest
    origin: i32,
    factor: u32,
    addend_high: i32, // plus a half if rounding to nearest
    addend_low: u32,  // 16 bits
    shift: u32,       // fraction bits in the sum of the upper parts
}

fn affine(k: vec4<i32>) -> vec4<i32> {
    let a = numbers();
    let within = max(vec4<i32>(a.lowest), min(k, vec4<i32>(a.highest)));
    // The mask changes nothing; it tells compilers that a 24-bit multiplication suffices.
    let x = bitcast<vec4<u32>>((within ^ vec4<i32>(a.flip)) - vec4<i32>(a.origin)) & vec4<u32>(0xffffffu);
    let low = x * vec4<u32>(a.factor & 0xffu) + vec4<u32>(a.addend_low & 0xffu);
    let middle = x * vec4<u32>((a.factor >> 8u) & 0xffu) + vec4<u32>(a.addend_low >> 8u) + (low >> vec4<u32>(8u));
    let high = x * vec4<u32>((a.factor >> 16u) & 0xffu) + (middle >> vec4<u32>(8u)) + vec4<u32>(bitcast<u32>(a.addend_high));
    let shift = a.shift & 31u;
    let floor = bitcast<vec4<i32>>(high) >> vec4<u32>(shift);
    let below = ((low | middle) & vec4<u32>(0xffu)) | (high & vec4<u32>((1u << shift) - 1u));
    if TO_NEAREST {
        // If no fraction bit is set, the number is a tie and goes to even.
        return select(floor, floor & vec4<i32>(-2), below == vec4<u32>(0u));
    }
    return floor + bitcast<vec4<i32>>(min(below, high >> vec4<u32>(31u)));
}
