// I64 as destination. Keys order elements; here the key is the number itself.
//
// Provides: LANES, KEY_BASE, from_key
const LANES: u32 = 1u; // elements per word
const KEY_BASE: u32 = 0u; // a number minus its key, in the upper word

fn from_key(k: vec2<u32>) -> vec2<u32> {
    return k;
}
