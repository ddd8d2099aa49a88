// No affine step, from U32 to another integer. Numbers above the highest i32 become the highest i32: the clamp
// saturates them anyway.
//
// Provides: affine
fn affine(k: vec4<i32>) -> vec4<i32> {
    let number = bitcast<vec4<u32>>(k) ^ vec4<u32>(0x80000000u);
    return bitcast<vec4<i32>>(min(number, vec4<u32>(0x7fffffffu)));
}
