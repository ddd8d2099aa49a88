// Integers of up to 32 bits as source.
//
// Provides: key, magnitude, sign_of
// Needs: SOURCE_UNUSED, SOURCE_KEY_BASE

// Keys order elements. The key is the number itself, but for U32 the number minus 2^31.
fn key(bits: vec4<u32>) -> vec4<i32> {
    let unused = vec4<u32>(SOURCE_UNUSED);
    return bitcast<vec4<i32>>((bits << unused) ^ vec4<u32>(SOURCE_KEY_BASE)) >> unused;
}

// The magnitude of a 32-bit number, and its sign as the sign bit of an f32.

fn magnitude(bits: vec4<u32>) -> vec4<u32> {
    if SOURCE_KEY_BASE != 0u {
        return bits;
    }
    return bitcast<vec4<u32>>(abs(bitcast<vec4<i32>>(bits)));
}

fn sign_of(bits: vec4<u32>) -> vec4<u32> {
    if SOURCE_KEY_BASE != 0u {
        return vec4<u32>(0u);
    }
    return bits & vec4<u32>(0x80000000u);
}
