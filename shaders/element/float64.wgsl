// 64-bit floats, the low word first. `destination/f64.wgsl` describes the format.
//
// Provides: StepValue, Bounds, element, magnitude, is_nan, ZERO_WITHIN
// Needs: bounds, affine, SIGN, INFINITY, subtract, less_unsigned
alias StepValue = vec2<u32>;

// As in `float.wgsl`.
struct Bounds {
    below_first: vec2<u32>, // below_count keys from here on are replaced by min_bits
    below_count: vec2<u32>,
    above_first: vec2<u32>, // above_count keys from here on are replaced by max_bits
    above_count: vec2<u32>,
    min_bits: vec2<u32>,
    max_bits: vec2<u32>,
}

fn magnitude(bits: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(bits.x, bits.y & (SIGN - 1u));
}

fn is_nan(bits: vec2<u32>) -> bool {
    let size = magnitude(bits);
    return size.y > INFINITY || (size.y == INFINITY && size.x != 0u);
}

// As in `float.wgsl`.
override ZERO_WITHIN: bool = false;

fn clamp_bits(x: vec2<u32>) -> vec2<u32> {
    let b = bounds();
    if ZERO_WITHIN {
        let first_nan = vec2<u32>(1u, INFINITY);
        let turned = subtract(x, first_nan);
        let most = subtract(magnitude(b.max_bits), first_nan);
        let least = subtract(b.min_bits | vec2<u32>(0u, 0x80000000u), first_nan);
        // If the lower word is greater, an equal upper word suffices. Neither bound's upper word is the lowest, so the
        // subtraction of 1 does not wrap.
        let above = turned.y > most.y - select(0u, 1u, turned.x > most.x);
        let below = bitcast<i32>(turned.y) > bitcast<i32>(least.y - select(0u, 1u, turned.x > least.x));
        return select(select(x, b.max_bits, above), b.min_bits, below);
    }
    // All ones if the sign is set.
    let sign = bitcast<u32>(bitcast<i32>(x.y) >> 31u);
    let key = magnitude(x) ^ vec2<u32>(sign);
    let above = less_unsigned(subtract(key, b.above_first), b.above_count);
    let below = less_unsigned(subtract(key, b.below_first), b.below_count);
    return select(select(x, b.max_bits, above), b.min_bits, below);
}

fn element(bits: vec2<u32>) -> vec2<u32> {
    return clamp_bits(affine(bits));
}
