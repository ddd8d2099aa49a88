// U64 as source. Keys order elements; here the key is the number minus 2^63.
//
// Provides: key
fn key(bits: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(bits.x, bits.y ^ 0x80000000u);
}
