// Floats of up to 32 bits, four at a time, as bits in the low end of a u32. The dtype names the format: SIGN, INFINITY,
// MANTISSA_BITS, EXPONENT_BIAS.
//
// Provides: Operand, Bounds, element, elements, magnitude
// Needs: params, affine, SIGN, SIGN_SHIFT
alias Operand = vec4<u32>;

// No floating-point instruction takes part. A pattern without its sign, inverted where the sign was set, is a number whose
// order is that of the elements: NaNs with the sign, −∞ to −0, +0 to +∞, other NaNs. Numbers wrap around, so the elements
// that a bound replaces, NaNs included or not, are one range of keys. No element is in both.
struct Bounds {
    below_first: u32, // below_count keys from here on are replaced by min_bits
    below_count: u32,
    above_first: u32, // above_count keys from here on are replaced by max_bits
    above_count: u32,
    min_bits: u32,
    max_bits: u32,
}

fn magnitude(bits: vec4<u32>) -> vec4<u32> {
    return bits & vec4<u32>(SIGN - 1u);
}

fn clamp_bits(x: vec4<u32>) -> vec4<u32> {
    let b = params.bounds;
    // All ones where the sign is set.
    let sign = bitcast<vec4<u32>>(bitcast<vec4<i32>>(x << vec4<u32>(SIGN_SHIFT)) >> vec4<u32>(31u));
    let key = magnitude(x) ^ sign;
    let above = key - vec4<u32>(b.above_first) < vec4<u32>(b.above_count);
    let below = key - vec4<u32>(b.below_first) < vec4<u32>(b.below_count);
    return select(select(x, vec4<u32>(b.max_bits), above), vec4<u32>(b.min_bits), below);
}

fn elements(bits: vec4<u32>) -> vec4<u32> {
    return clamp_bits(affine(bits));
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
