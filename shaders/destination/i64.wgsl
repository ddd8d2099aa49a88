// I64 as destination: a key is the number.
//
// Provides: from_key
fn from_key(k: vec2<u32>) -> vec2<u32> {
    return k;
}
