// U32 as source: a key is the number minus 2^31.
//
// Provides: key
fn key(bits: vec4<u32>) -> vec4<i32> {
    return bitcast<vec4<i32>>(bits ^ vec4<u32>(0x80000000u));
}
