// U64 as destination. Keys order elements; here the key is the number minus 2^63.
//
// Provides: LANES, KEY_BASE, from_key
const LANES: u32 = 1u; // elements per word
const KEY_BASE: u32 = 0x80000000u; // a number minus its key, in the upper word

fn from_key(k: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(k.x, k.y ^ 0x80000000u);
}
