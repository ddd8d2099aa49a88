// I16 as source. Keys order elements; here the key is the number itself.
//
// Provides: key
fn key(bits: vec4<u32>) -> vec4<i32> {
    return bitcast<vec4<i32>>(bits << vec4<u32>(16u)) >> vec4<u32>(16u);
}
