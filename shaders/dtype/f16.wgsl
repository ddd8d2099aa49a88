// F16.
//
// Provides: SIGN, SIGN_SHIFT, INFINITY, MANTISSA_BITS, EXPONENT_BIAS, widen, narrow
// Needs: magnitude
const SIGN: u32 = 0x8000u;
const SIGN_SHIFT: u32 = 16u; // that moves SIGN to bit 31
const INFINITY: u32 = 0x7c00u;
const MANTISSA_BITS: u32 = 10u;
const EXPONENT_BIAS: i32 = 15;

// To f32, for finite numbers. The optional f16 type is not needed, and WGSL's pack and unpack functions
// leave results at the edges of the format open.
fn widen(bits: vec4<u32>) -> vec4<f32> {
    let size = magnitude(bits);
    let normal = (size << vec4<u32>(13u)) + vec4<u32>((127u - 15u) << 23u);
    // A subnormal counts units of 2^-24; as an f32 it is normal, so no device flushes it.
    let subnormal = bitcast<vec4<u32>>(vec4<f32>(size) * 0x1p-24f);
    let unsigned = select(normal, subnormal, size < vec4<u32>(0x0400u));
    return bitcast<vec4<f32>>(unsigned | ((bits & vec4<u32>(SIGN)) << vec4<u32>(16u)));
}

// From f32, finite or infinite: to nearest, ties to even, subnormals kept.
fn narrow(x: vec4<f32>) -> vec4<u32> {
    let bits = bitcast<vec4<u32>>(x);
    let size = bits & vec4<u32>(0x7fffffffu);
    let one = vec4<u32>(1u);
    // The exponent is rebased; a carry out of the mantissa raises it, in the end to infinity.
    let rebased = size - vec4<u32>(((127u - 15u) << 23u) - 0x0fffu);
    let normal = (rebased + ((size >> vec4<u32>(13u)) & one)) >> vec4<u32>(13u);
    // Below 2^-14 the result counts units of 2^-24: shift the significand there.
    let shift = clamp(vec4<u32>(126u) - (size >> vec4<u32>(23u)), one, vec4<u32>(25u));
    let significand = (size & vec4<u32>(0x007fffffu)) | vec4<u32>(0x00800000u);
    let half_unit = (one << (shift - one)) - one;
    let subnormal = (significand + half_unit + ((significand >> shift) & one)) >> shift;
    let finite = select(normal, subnormal, size < vec4<u32>(0x38800000u));
    let sign = (bits >> vec4<u32>(16u)) & vec4<u32>(SIGN);
    return select(finite, vec4<u32>(INFINITY), size >= vec4<u32>(0x47800000u)) | sign;
}
