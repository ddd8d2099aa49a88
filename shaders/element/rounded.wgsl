// Integers of up to 16 bits, converted from f32, four at a time.
//
// Provides: from_single
// Needs: bounds, rounded, from_key, UNUSED

// Maps the bits of f32s to integers in the same order, and back: inverts the magnitude if the sign is set. If the
// destination is unsigned, no bound is negative, so negative numbers need no order among themselves.
fn ordered(bits: vec4<u32>) -> vec4<i32> {
    let x = bitcast<vec4<i32>>(bits);
    if UNUSED == 0u {
        return x;
    }
    return x ^ ((x >> vec4<u32>(31u)) & vec4<i32>(0x7fffffff));
}

fn bound(number: vec4<i32>) -> vec4<i32> {
    return ordered(bitcast<vec4<u32>>(vec4<f32>(number)));
}

// Clamps before rounding: bounds are integers, so a number within them stays within them when rounded. Devices agree on
// the conversion from f32 to i32 only for numbers that an i32 holds.
fn from_single(x: vec4<u32>) -> vec4<u32> {
    let b = bounds();
    let within = max(bound(vec4<i32>(b.min)), min(ordered(x), bound(vec4<i32>(b.max))));
    let number_within = bitcast<vec4<f32>>(ordered(bitcast<vec4<u32>>(within)));
    return from_key(vec4<i32>(rounded(number_within)));
}
