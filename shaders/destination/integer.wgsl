// Integers of up to 32 bits as destination.
//
// Provides: from_key
// Needs: UNUSED, KEY_BASE

// Keys order elements. The key is the number itself, but for U32 the number minus 2^31.
fn from_key(k: vec4<i32>) -> vec4<u32> {
    let number = bitcast<vec4<u32>>(k) ^ vec4<u32>(KEY_BASE);
    if UNUSED == 0u {
        return number;
    }
    return number & vec4<u32>(0xffffffffu >> UNUSED);
}
