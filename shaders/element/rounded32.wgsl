// 32-bit integers, converted from f32, four at a time. Numbers saturate before they become integers, and bounds are
// compared as integers.
//
// Provides: from_single, from_number, to_key, from_singles
// Needs: bounds, rounded, from_key, KEY_BASE

// The key of an integer from its magnitude and sign, saturated.
fn to_key(size: vec4<u32>, negative: vec4<bool>) -> vec4<i32> {
    // The magnitudes of the lowest and the highest number: 2^31 and 2^31 - 1, or 0 and 2^32 - 1.
    let lowest = vec4<u32>(0x80000000u ^ KEY_BASE);
    let highest = vec4<u32>(0x7fffffffu | KEY_BASE);
    let within = min(size, select(highest, lowest, negative));
    return bitcast<vec4<i32>>(select(within, vec4<u32>(0u) - within, negative) ^ vec4<u32>(KEY_BASE));
}

// The keys of the f32s with these bits. Magnitudes from 2^32 on, infinities included, saturate.
fn from_singles(x: vec4<u32>) -> vec4<i32> {
    let size = x & vec4<u32>(0x7fffffffu);
    let below = size < vec4<u32>(0x4f800000u);
    let number = vec4<u32>(rounded(bitcast<vec4<f32>>(select(vec4<u32>(0u), size, below))));
    return to_key(select(vec4<u32>(0xffffffffu), number, below), x != size);
}

fn from_number(k: vec4<i32>) -> vec4<u32> {
    let b = bounds();
    return from_key(max(vec4<i32>(b.min), min(k, vec4<i32>(b.max))));
}

fn from_single(x: vec4<u32>) -> vec4<u32> {
    return from_number(from_singles(x));
}
