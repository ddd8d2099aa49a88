// F16 as source. Uses neither the optional f16 type nor WGSL's unpack function: Vulkan on Mesa has the function only
// together with the type.
//
// Provides: widen, single
//
fn widened_bits(bits: vec4<u32>) -> vec4<u32> {
    let size = bits & vec4<u32>(0x7fffu);
    let normal = (size << vec4<u32>(13u)) + vec4<u32>((127u - 15u) << 23u);
    // A subnormal counts units of 2^-24. As an f32 it is normal, so no device flushes it.
    let subnormal = bitcast<vec4<u32>>(vec4<f32>(size) * 0x1p-24f);
    let unsigned = select(normal, subnormal, size < vec4<u32>(0x0400u));
    return unsigned | ((bits & vec4<u32>(0x8000u)) << vec4<u32>(16u));
}

// Converts floats in the upper bits of words to f32; finite numbers only.
fn widen(x: vec4<u32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(widened_bits(x >> vec4<u32>(16u)));
}

// The bits of the equal f32; NaNs become quiet. NaNs and infinities have the greatest exponent in both formats.
fn single(bits: vec4<u32>) -> vec4<u32> {
    let size = bits & vec4<u32>(0x7fffu);
    let top = select(vec4<u32>(0x7f800000u), vec4<u32>(0x7fc00000u), size > vec4<u32>(0x7c00u));
    return widened_bits(bits) | select(vec4<u32>(0u), top, size >= vec4<u32>(0x7c00u));
}
