// I64 as source: a key is the number.
//
// Provides: key
fn key(bits: vec2<u32>) -> vec2<u32> {
    return bits;
}
