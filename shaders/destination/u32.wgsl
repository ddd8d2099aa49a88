// U32 as destination. Keys order elements; here the key is the number minus 2^31.
//
// Provides: from_key, LOWEST_SIZE, HIGHEST_SIZE, KEY_BASE
fn from_key(k: vec4<i32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(k) ^ vec4<u32>(0x80000000u);
}

// The magnitudes of the lowest and the highest number, and the difference between a number and its key.
const LOWEST_SIZE: u32 = 0u;
const HIGHEST_SIZE: u32 = 0xffffffffu;
const KEY_BASE: u32 = 0x80000000u;
