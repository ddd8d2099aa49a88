// F16 as source. Uses no f16 type, which is optional.
//
// Provides: SOURCE_LANES, widen, single
// Needs: widened_f16
const SOURCE_LANES: u32 = 2u; // elements per word

// Converts floats in the upper bits of words to f32; finite numbers only.
fn widen(x: vec4<u32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(widened_f16(x >> vec4<u32>(16u)));
}

// The bits of the equal f32; NaNs become quiet. NaNs and infinities have the greatest exponent in both formats.
fn single(bits: vec4<u32>) -> vec4<u32> {
    let size = bits & vec4<u32>(0x7fffu);
    let top = select(vec4<u32>(0x7f800000u), vec4<u32>(0x7fc00000u), size > vec4<u32>(0x7c00u));
    let special = top | (size << vec4<u32>(13u)) | ((bits & vec4<u32>(0x8000u)) << vec4<u32>(16u));
    return select(widened_f16(bits), special, size >= vec4<u32>(0x7c00u));
}
