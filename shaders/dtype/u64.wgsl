// U64: a key is the number minus 2^63.
//
// Provides: key, from_key
fn key(bits: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(bits.x, bits.y ^ 0x80000000u);
}

fn from_key(k: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(k.x, k.y ^ 0x80000000u);
}
