// No affine step, from another integer to U32. Negative numbers become 0.
//
// Provides: affine
fn affine(k: vec4<i32>) -> vec4<i32> {
    let number = max(k, vec4<i32>(0));
    return bitcast<vec4<i32>>(bitcast<vec4<u32>>(number) ^ vec4<u32>(0x80000000u));
}
