// F16 as destination. Uses neither the optional f16 type nor WGSL's pack function, whose results at the edges of the
// format depend on the device.
//
// Provides: SIGN, SIGN_SHIFT, INFINITY, MANTISSA_BITS, EXPONENT_BIAS, ROUNDS_SINGLES, narrow, from_single
const SIGN: u32 = 0x8000u;
const SIGN_SHIFT: u32 = 16u; // moves SIGN to bit 31
const INFINITY: u32 = 0x7c00u;
const MANTISSA_BITS: u32 = 10u;
const EXPONENT_BIAS: i32 = 15;

// Whether the step's f32 is rounded again to the destination.
const ROUNDS_SINGLES: bool = true;

// The bits of f32s: 2^16, which becomes infinite like all greater numbers, and 2^-14, the least normal F16.
const INFINITE_FROM: u32 = 0x47800000u;
const NORMAL_FROM: u32 = 0x38800000u;

// Rounds an f32 that is no NaN to nearest even, and keeps subnormals; the result lies in the upper bits of the word.
fn narrow(bits: vec4<u32>) -> vec4<u32> {
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

// The same for any f32. A NaN becomes quiet and keeps the upper bits of its payload.
fn from_single(x: vec4<u32>) -> vec4<u32> {
    let payload = (x << vec4<u32>(3u)) & vec4<u32>(0x03ff0000u);
    let nan = payload | vec4<u32>(0x7e000000u) | (x & vec4<u32>(0x80000000u));
    return select(narrow(x), nan, (x & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
}
