// F16 as source, without the optional f16 type and without WGSL's unpack function, which Vulkan on Mesa has only with
// that type.
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

// From the upper bits to f32; finite numbers only, and subnormals may be flushed. Shifted down by three bits they are
// an f32 whose exponent is too low by 112, hence the factor 0x1p112f. A subnormal stays one.
//
// The last mask changes no bit, but compilers cannot know that. Without it WGSL lets them multiply 0x1p112f by the
// scale first, which overflows for scales from 2^16 on.
fn widen(x: vec4<u32>) -> vec4<f32> {
    let signed = bitcast<vec4<i32>>(x) >> vec4<u32>(3u);
    let widened = bitcast<vec4<f32>>(bitcast<vec4<u32>>(signed) & vec4<u32>(0x8fffe000u)) * 0x1p112f;
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(widened) & vec4<u32>(0xffffe000u));
}

// The bits of the equal f32; NaNs become quiet. NaNs and infinities have the greatest exponent in both formats.
fn single(bits: vec4<u32>) -> vec4<u32> {
    let size = bits & vec4<u32>(0x7fffu);
    let top = select(vec4<u32>(0x7f800000u), vec4<u32>(0x7fc00000u), size > vec4<u32>(0x7c00u));
    return widened_bits(bits) | select(vec4<u32>(0u), top, size >= vec4<u32>(0x7c00u));
}
