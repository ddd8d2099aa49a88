// I32: a key is the number.
//
// Provides: key, from_key
fn key(bits: vec4<u32>) -> vec4<i32> {
    return bitcast<vec4<i32>>(bits);
}

fn from_key(k: vec4<i32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(k);
}
