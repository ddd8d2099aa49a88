// I64 as destination. Keys order elements; here the key is the number itself.
//
// Provides: from_key
fn from_key(k: vec2<u32>) -> vec2<u32> {
    return k;
}
