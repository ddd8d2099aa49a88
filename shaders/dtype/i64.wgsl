// I64: a key is the number.
//
// Provides: key, from_key
fn key(bits: vec2<u32>) -> vec2<u32> {
    return bits;
}

fn from_key(k: vec2<u32>) -> vec2<u32> {
    return k;
}
