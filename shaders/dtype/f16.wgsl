const SIGN: u32 = 0x8000u;
const INFINITY: u32 = 0x7c00u;
const MANTISSA_BITS: u32 = 10u;
const EXPONENT_BIAS: i32 = 15;

// To f32, for finite numbers. The optional f16 type is not needed, and WGSL's pack and unpack functions
// leave results at the edges of the format open.
fn widen(bits: u32) -> f32 {
    let size = magnitude(bits);
    let normal = (size << 13u) + ((127u - 15u) << 23u);
    // A subnormal counts units of 2^-24; as an f32 it is normal, so no device flushes it.
    let subnormal = bitcast<u32>(f32(size) * 0x1p-24f);
    return bitcast<f32>(select(normal, subnormal, size < 0x0400u) | ((bits & SIGN) << 16u));
}

// From f32, finite or infinite: to nearest, ties to even, subnormals kept.
fn narrow(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let size = bits & 0x7fffffffu;
    // The exponent is rebased; a carry out of the mantissa raises it, in the end to infinity.
    let normal = (size - ((127u - 15u) << 23u) + 0x0fffu + ((size >> 13u) & 1u)) >> 13u;
    // Below 2^-14 the result counts units of 2^-24: shift the significand there.
    let shift = clamp(126u - (size >> 23u), 1u, 25u);
    let significand = (size & 0x007fffffu) | 0x00800000u;
    let half_unit = (1u << (shift - 1u)) - 1u;
    let subnormal = (significand + half_unit + ((significand >> shift) & 1u)) >> shift;
    let finite = select(normal, subnormal, size < 0x38800000u);
    return select(finite, INFINITY, size >= 0x47800000u) | ((bits >> 16u) & SIGN);
}
