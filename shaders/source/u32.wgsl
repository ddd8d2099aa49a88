// U32 as source. Keys order elements; here the key is the number minus 2^31.
//
// Provides: key, magnitude, sign_of
fn key(bits: vec4<u32>) -> vec4<i32> {
    return bitcast<vec4<i32>>(bits ^ vec4<u32>(0x80000000u));
}

// The number's magnitude, and its sign as the sign bit of an f32.

fn magnitude(bits: vec4<u32>) -> vec4<u32> {
    return bits;
}

fn sign_of(bits: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(0u);
}
