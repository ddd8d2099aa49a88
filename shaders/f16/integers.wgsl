// Conversions between F16 and f32 by integer operations and products with powers of two, which every device computes
// alike.
//
// Provides: widened_by_integers, narrowed_by_integers

// The bits of the f32s that equal F16s, whose upper halves are zero; finite numbers only.
fn widened_by_integers(bits: vec4<u32>) -> vec4<u32> {
    let size = bits & vec4<u32>(0x7fffu);
    let normal = (size << vec4<u32>(13u)) + vec4<u32>((127u - 15u) << 23u);
    // A subnormal counts units of 2^-24. As an f32 it is normal, so no device flushes it.
    let subnormal = bitcast<vec4<u32>>(vec4<f32>(size) * 0x1p-24f);
    let unsigned = select(normal, subnormal, size < vec4<u32>(0x0400u));
    return unsigned | ((bits & vec4<u32>(0x8000u)) << vec4<u32>(16u));
}

// The bits of f32s: 2^16, which becomes infinite like all greater numbers, and 2^-14, the least normal F16.
const INFINITE_FROM: u32 = 0x47800000u;
const NORMAL_FROM: u32 = 0x38800000u;

// Rounds an f32 that is no NaN to nearest even, and keeps subnormals; the result lies in the upper bits of the word.
fn narrowed_by_integers(bits: vec4<u32>) -> vec4<u32> {
    let size = min(bits & vec4<u32>(0x7fffffffu), vec4<u32>(INFINITE_FROM));
    let sign = bits & vec4<u32>(0x80000000u);
    // Rebases the exponent; the shift drops its upper bits. A carry out of the mantissa raises the exponent, up to
    // infinity.
    let odd = (size >> vec4<u32>(13u)) & vec4<u32>(1u);
    let normal = (size + odd - vec4<u32>(((127u - 15u) << 23u) - 0x0fffu)) << vec4<u32>(3u);
    // Below 2^-14 the result counts units of 2^-24. The product with a power of two is exact, and `round` rounds ties
    // to even.
    let small = bitcast<vec4<f32>>(min(size, vec4<u32>(NORMAL_FROM))) * 0x1p24f;
    let subnormal = vec4<u32>(round(small)) << vec4<u32>(16u);
    return select(normal, subnormal, size < vec4<u32>(NORMAL_FROM)) | sign;
}
