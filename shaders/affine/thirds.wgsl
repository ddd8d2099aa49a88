// From integers of 32 bits to those of up to 16: the exact real number, rounded, before saturation, which clamping does:
// both bounds are numbers of the destination. Numbers that saturate become the first one that does, so that what is left
// has 24 bits; the factor is in three bytes, so that nothing leaves 32 bits. `src/arithmetic/thirds.rs` finds the numbers.
//
// Provides: Affine, affine
// Needs: numbers, TO_NEAREST
struct Affine {
    lowest: i32,      // keys beyond these two saturate like these two
    highest: i32,
    flip: i32,        // all ones where the scale is negative: then the key is counted down from the highest
    origin: i32,
    factor: u32,
    addend_high: i32, // to nearest, with a half
    addend_low: u32,  // 16 bits
    shift: u32,       // bits below one in the sum of the upper parts
}

fn affine(k: vec4<i32>) -> vec4<i32> {
    let a = numbers();
    let within = max(vec4<i32>(a.lowest), min(k, vec4<i32>(a.highest)));
    // The mask changes nothing; it tells compilers that a multiplication of 24 bits will do.
    let x = bitcast<vec4<u32>>((within ^ vec4<i32>(a.flip)) - vec4<i32>(a.origin)) & vec4<u32>(0xffffffu);
    let low = x * vec4<u32>(a.factor & 0xffu) + vec4<u32>(a.addend_low & 0xffu);
    let middle = x * vec4<u32>((a.factor >> 8u) & 0xffu) + vec4<u32>(a.addend_low >> 8u) + (low >> vec4<u32>(8u));
    let high = x * vec4<u32>((a.factor >> 16u) & 0xffu) + (middle >> vec4<u32>(8u)) + vec4<u32>(bitcast<u32>(a.addend_high));
    let shift = a.shift & 31u;
    let floor = bitcast<vec4<i32>>(high) >> vec4<u32>(shift);
    let below = ((low | middle) & vec4<u32>(0xffu)) | (high & vec4<u32>((1u << shift) - 1u));
    if TO_NEAREST {
        // Nothing below one: a tie, which goes to the even one.
        return select(floor, floor & vec4<i32>(-2), below == vec4<u32>(0u));
    }
    return floor + bitcast<vec4<i32>>(min(below, high >> vec4<u32>(31u)));
}
