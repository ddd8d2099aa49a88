// Floats of up to 32 bits, as bits in the low end of a u32. The dtype names the format: SIGN, INFINITY,
// MANTISSA_BITS, EXPONENT_BIAS.
alias Operand = u32;

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

fn magnitude(bits: u32) -> u32 {
    return bits & (SIGN - 1u);
}

fn clamp_bits(x: u32) -> u32 {
    let b = params.bounds;
    let size = bitcast<i32>(magnitude(x));
    let key = select(size, -size, (x & SIGN) != 0u);
    let upper = select(x, b.max_bits, key > b.max_key);
    let both = select(upper, b.min_bits, key < b.min_key);
    return select(both, (x & b.nan_mask) | b.nan_bits, magnitude(x) > INFINITY);
}

fn element(bits: u32) -> u32 {
    return clamp_bits(affine(bits));
}
