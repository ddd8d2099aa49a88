// Floats of up to 32 bits, four at a time, as bits in the low end of a u32. The destination names the format.
//
// Provides: Operand, Bounds, element, elements
// Needs: bounds, Unsigned, affine, operand, from_operand, SIGN, SIGN_SHIFT
alias Operand = vec4<u32>;

// No floating-point instruction takes part. A pattern without its sign, inverted where the sign was set, is a number
// whose order is that of the elements: NaNs with the sign, −∞ to −0, +0 to +∞, other NaNs. Numbers wrap around, so
// the elements that a bound replaces, NaNs included or not, are one range of keys. No element is in both.
struct Bounds {
    below_first: Unsigned, // below_count keys from here on are replaced by min_bits
    below_count: Unsigned,
    above_first: Unsigned, // above_count keys from here on are replaced by max_bits
    above_count: Unsigned,
    min_bits: Unsigned,
    max_bits: Unsigned,
}

fn clamp_bits(x: vec4<u32>) -> vec4<u32> {
    let b = bounds();
    // All ones where the sign is set.
    let sign = bitcast<vec4<u32>>(bitcast<vec4<i32>>(x << vec4<u32>(SIGN_SHIFT)) >> vec4<u32>(31u));
    let key = (x & vec4<u32>(SIGN - 1u)) ^ sign;
    let above = key - vec4<u32>(b.above_first) < vec4<u32>(b.above_count);
    let below = key - vec4<u32>(b.below_first) < vec4<u32>(b.below_count);
    return select(select(x, vec4<u32>(b.max_bits), above), vec4<u32>(b.min_bits), below);
}

fn elements(bits: vec4<u32>) -> vec4<u32> {
    return clamp_bits(from_operand(affine(operand(bits))));
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
