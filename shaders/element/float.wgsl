// Floats of up to 32 bits, four at a time, as bits in the low end of a u32. The dtype names the format: SIGN, INFINITY,
// MANTISSA_BITS, EXPONENT_BIAS.
alias Operand = vec4<u32>;

// No floating-point instruction takes part: a pattern without its sign, negated where the sign was set,
// orders floats as an integer, and −0 and +0 become one key.
struct Bounds {
    min_key: i32, // an element with a smaller key is replaced by min_bits
    max_key: i32, // an element with a greater key is replaced by max_bits, before Min is looked at
    min_bits: u32,
    max_bits: u32,
    nan_mask: u32, // a NaN becomes (bits & nan_mask) | nan_bits
    nan_bits: u32,
}

fn magnitude(bits: vec4<u32>) -> vec4<u32> {
    return bits & vec4<u32>(SIGN - 1u);
}

fn clamp_bits(x: vec4<u32>) -> vec4<u32> {
    let b = params.bounds;
    let size = bitcast<vec4<i32>>(magnitude(x));
    // All ones where the sign is set.
    let sign = bitcast<vec4<i32>>(x << vec4<u32>(SIGN_SHIFT)) >> vec4<u32>(31u);
    let key = (size ^ sign) - sign;
    let upper = select(x, vec4<u32>(b.max_bits), key > vec4<i32>(b.max_key));
    let both = select(upper, vec4<u32>(b.min_bits), key < vec4<i32>(b.min_key));
    let nan = (x & vec4<u32>(b.nan_mask)) | vec4<u32>(b.nan_bits);
    return select(both, nan, size > vec4<i32>(i32(INFINITY)));
}

fn elements(bits: vec4<u32>) -> vec4<u32> {
    return clamp_bits(affine(bits));
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
