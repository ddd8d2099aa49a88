// I8 as source: a key is the number.
//
// Provides: key
fn key(bits: vec4<u32>) -> vec4<i32> {
    return bitcast<vec4<i32>>(bits << vec4<u32>(24u)) >> vec4<u32>(24u);
}
