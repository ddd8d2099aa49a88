// BF16 as source: the upper half of an f32.
//
// Provides: SOURCE_LANES, widen, single
const SOURCE_LANES: u32 = 2u; // elements per word

// Converts floats in the upper bits of words to f32; finite numbers only.
fn widen(x: vec4<u32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(x & vec4<u32>(0xffff0000u));
}

// The bits of the equal f32; NaNs become quiet.
fn single(bits: vec4<u32>) -> vec4<u32> {
    let is_nan = (bits & vec4<u32>(0x7fffu)) > vec4<u32>(0x7f80u);
    return (bits << vec4<u32>(16u)) | select(vec4<u32>(0u), vec4<u32>(0x00400000u), is_nan);
}
