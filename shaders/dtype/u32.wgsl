// U32: a key is the number minus 2^31.
//
// Provides: key, from_key
fn key(bits: vec4<u32>) -> vec4<i32> {
    return bitcast<vec4<i32>>(bits ^ vec4<u32>(0x80000000u));
}

fn from_key(k: vec4<i32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(k) ^ vec4<u32>(0x80000000u);
}
