// F32.
//
// Provides: SIGN, SIGN_SHIFT, INFINITY, MANTISSA_BITS, EXPONENT_BIAS, widen, narrow
const SIGN: u32 = 0x80000000u;
const SIGN_SHIFT: u32 = 0u; // that moves SIGN to bit 31
const INFINITY: u32 = 0x7f800000u;
const MANTISSA_BITS: u32 = 23u;
const EXPONENT_BIAS: i32 = 127;

// To f32 and back, for finite numbers.

fn widen(bits: vec4<u32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bits);
}

fn narrow(x: vec4<f32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(x);
}
