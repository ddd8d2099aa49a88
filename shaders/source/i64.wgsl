// I64 as source. Keys order elements; here the key is the number itself.
//
// Provides: key
fn key(bits: vec2<u32>) -> vec2<u32> {
    return bits;
}
