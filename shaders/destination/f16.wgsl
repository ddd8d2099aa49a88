// F16 as destination. The optional f16 type is not needed, and WGSL's pack function leaves results at the edges of the
// format open.
//
// Provides: SIGN, SIGN_SHIFT, INFINITY, MANTISSA_BITS, EXPONENT_BIAS, ROUNDS_SINGLES, narrow, narrow_sum, from_single
const SIGN: u32 = 0x8000u;
const SIGN_SHIFT: u32 = 16u; // that moves SIGN to bit 31
const INFINITY: u32 = 0x7c00u;
const MANTISSA_BITS: u32 = 10u;
const EXPONENT_BIAS: i32 = 15;

// Whether an f32 is rounded once more.
const ROUNDS_SINGLES: bool = true;

// From the bits of an f32, finite or infinite: to nearest, ties to even, subnormals kept.
fn narrow(bits: vec4<u32>) -> vec4<u32> {
    let size = bits & vec4<u32>(0x7fffffffu);
    // The exponent is rebased; a carry out of the mantissa raises it, in the end to infinity.
    let rebased = size - vec4<u32>(((127u - 15u) << 23u) - 0x0fffu);
    let normal = (rebased + ((size >> vec4<u32>(13u)) & vec4<u32>(1u))) >> vec4<u32>(13u);
    // Below 2^-14 the result counts units of 2^-24: a product with a power of two is exact, and `round` is to even.
    let small = bitcast<vec4<f32>>(min(size, vec4<u32>(0x38800000u))) * 0x1p24f;
    let subnormal = vec4<u32>(round(small));
    let unsigned = select(min(normal, vec4<u32>(INFINITY)), subnormal, size < vec4<u32>(0x38800000u));
    return unsigned | ((bits >> vec4<u32>(16u)) & vec4<u32>(SIGN));
}

// From a sum that the device has rounded, finite or infinite: where the format is subnormal, one more addition rounds.
fn narrow_sum(x: vec4<f32>) -> vec4<u32> {
    let bits = bitcast<vec4<u32>>(x);
    let size = bits & vec4<u32>(0x7fffffffu);
    let rebased = size - vec4<u32>(((127u - 15u) << 23u) - 0x0fffu);
    let normal = (rebased + ((size >> vec4<u32>(13u)) & vec4<u32>(1u))) >> vec4<u32>(13u);
    // The last bit of a number from 0.5 on is 2^-24.
    let subnormal = bitcast<vec4<u32>>(abs(x) + vec4<f32>(0.5)) - vec4<u32>(0x3f000000u);
    let unsigned = select(min(normal, vec4<u32>(INFINITY)), subnormal, size < vec4<u32>(0x38800000u));
    return unsigned | ((bits >> vec4<u32>(16u)) & vec4<u32>(SIGN));
}

// From the bits of an f32, all of them: a NaN becomes a quiet one with the upper bits of its payload.
fn from_single(x: vec4<u32>) -> vec4<u32> {
    let sign = (x >> vec4<u32>(16u)) & vec4<u32>(SIGN);
    let nan = ((x >> vec4<u32>(13u)) & vec4<u32>(0x03ffu)) | vec4<u32>(0x7e00u) | sign;
    return select(narrow(x), nan, (x & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
}
