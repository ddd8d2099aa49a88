// 64-bit floats, the low word first. `destination/f64.wgsl` describes the format.
//
// Provides: StepValue, element, magnitude, is_nan, bits_of_bounds, key_of, ONE_KEY, FIRST_NAN
// Needs: bounds, ZERO_WITHIN, affine, SIGN, INFINITY, subtract, less_unsigned
alias StepValue = vec2<u32>;

fn magnitude(bits: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(bits.x, bits.y & (SIGN - 1u));
}

fn is_nan(bits: vec2<u32>) -> bool {
    let size = magnitude(bits);
    return size.y > INFINITY || (size.y == INFINITY && size.x != 0u);
}

const ONE_KEY: vec2<u32> = vec2<u32>(1u, 0u);
const FIRST_NAN: vec2<u32> = vec2<u32>(1u, INFINITY);

fn bits_of_bounds(first: vec4<u32>) -> vec4<u32> {
    return first;
}

fn key_of(bits: vec2<u32>) -> vec2<u32> {
    // All ones if the sign is set.
    let sign = bitcast<u32>(bitcast<i32>(bits.y) >> 31u);
    return magnitude(bits) ^ vec2<u32>(sign);
}

fn clamp_bits(x: vec2<u32>) -> vec2<u32> {
    let b = bounds();
    if ZERO_WITHIN {
        let turned = subtract(x, FIRST_NAN);
        let most = subtract(magnitude(b.max_bits), FIRST_NAN);
        let least = subtract(b.min_bits | vec2<u32>(0u, 0x80000000u), FIRST_NAN);
        // If the lower word is greater, an equal upper word suffices. Neither bound's upper word is the lowest, so the
        // subtraction of 1 does not wrap.
        let above = turned.y > most.y - select(0u, 1u, turned.x > most.x);
        let below = bitcast<i32>(turned.y) > bitcast<i32>(least.y - select(0u, 1u, turned.x > least.x));
        return select(select(x, b.max_bits, above), b.min_bits, below);
    }
    let key = key_of(x);
    let above = less_unsigned(subtract(key, b.above_first), b.above_count);
    let below = less_unsigned(subtract(key, b.below_first), b.below_count);
    return select(select(x, b.max_bits, above), b.min_bits, below);
}

fn element(bits: vec2<u32>) -> vec2<u32> {
    return clamp_bits(affine(bits));
}
