// F16 as destination, without the optional f16 type. WGSL's pack function leaves results at the edges of the format
// open.
//
// Provides: SIGN, SIGN_SHIFT, INFINITY, MANTISSA_BITS, EXPONENT_BIAS, ROUNDS_SINGLES, narrow, from_single
const SIGN: u32 = 0x8000u;
const SIGN_SHIFT: u32 = 16u; // moves SIGN to bit 31
const INFINITY: u32 = 0x7c00u;
const MANTISSA_BITS: u32 = 10u;
const EXPONENT_BIAS: i32 = 15;

// Whether the step's f32 is rounded once more.
const ROUNDS_SINGLES: bool = true;

// 2^16 as an f32: numbers from a little below it on become infinite. 2^-14: the least normal number.
const INFINITE_FROM: u32 = 0x47800000u;
const NORMAL_FROM: u32 = 0x38800000u;

// From the bits of an f32 that is no NaN to the upper bits, to nearest even, subnormals kept.
fn narrow(bits: vec4<u32>) -> vec4<u32> {
    let size = min(bits & vec4<u32>(0x7fffffffu), vec4<u32>(INFINITE_FROM));
    let sign = bits & vec4<u32>(0x80000000u);
    // The exponent is rebased and loses its upper bits. A carry out of the mantissa raises it, up to infinity.
    let odd = (size >> vec4<u32>(13u)) & vec4<u32>(1u);
    let normal = (size + odd - vec4<u32>(((127u - 15u) << 23u) - 0x0fffu)) << vec4<u32>(3u);
    // Below 2^-14 the result counts units of 2^-24. The product with a power of two is exact, and `round` rounds to
    // even.
    let small = bitcast<vec4<f32>>(min(size, vec4<u32>(NORMAL_FROM))) * 0x1p24f;
    let subnormal = vec4<u32>(round(small)) << vec4<u32>(16u);
    return select(normal, subnormal, size < vec4<u32>(NORMAL_FROM)) | sign;
}

// From the bits of any f32 to the upper bits. A NaN becomes quiet and keeps the upper bits of its payload.
fn from_single(x: vec4<u32>) -> vec4<u32> {
    let payload = (x << vec4<u32>(3u)) & vec4<u32>(0x03ff0000u);
    let nan = payload | vec4<u32>(0x7e000000u) | (x & vec4<u32>(0x80000000u));
    return select(narrow(x), nan, (x & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
}
