// 64-bit floats, the low word first. The dtype names the format.
alias Operand = vec2<u32>;

// As for the narrower floats: a pattern without its sign, negated where the sign was set, orders floats as a
// two's complement integer, and −0 and +0 become one key.
struct Bounds {
    min_key: vec2<u32>, // an element with a smaller key is replaced by min_bits
    max_key: vec2<u32>, // an element with a greater key is replaced by max_bits, before Min is looked at
    min_bits: vec2<u32>,
    max_bits: vec2<u32>,
    nan_mask: vec2<u32>, // a NaN becomes (bits & nan_mask) | nan_bits
    nan_bits: vec2<u32>,
}

fn magnitude(bits: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(bits.x, bits.y & (SIGN - 1u));
}

fn is_nan(bits: vec2<u32>) -> bool {
    let size = magnitude(bits);
    return size.y > INFINITY || (size.y == INFINITY && size.x != 0u);
}

fn clamp_bits(x: vec2<u32>) -> vec2<u32> {
    let b = params.bounds;
    let size = magnitude(x);
    let negated = vec2<u32>(~size.x + 1u, ~size.y + select(0u, 1u, size.x == 0u));
    let key = select(size, negated, (x.y & SIGN) != 0u);
    let upper = select(x, b.max_bits, less(b.max_key, key));
    let both = select(upper, b.min_bits, less(key, b.min_key));
    return select(both, (x & b.nan_mask) | b.nan_bits, is_nan(x));
}

fn element(bits: vec2<u32>) -> vec2<u32> {
    return clamp_bits(affine(bits));
}
