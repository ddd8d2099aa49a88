// U32 as destination: a key is the number minus 2^31.
//
// Provides: from_key
fn from_key(k: vec4<i32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(k) ^ vec4<u32>(0x80000000u);
}
