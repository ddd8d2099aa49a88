// F32 as destination.
//
// Provides: LANES, SIGN, SIGN_SHIFT, INFINITY, MANTISSA_BITS, EXPONENT_BIAS, ROUNDS_SINGLES, narrow, from_single
const LANES: u32 = 1u; // elements per word
const SIGN: u32 = 0x80000000u;
const SIGN_SHIFT: u32 = 0u; // moves SIGN to bit 31
const INFINITY: u32 = 0x7f800000u;
const MANTISSA_BITS: u32 = 23u;
const EXPONENT_BIAS: i32 = 127;

// Whether the step's f32 is rounded again to the destination.
const ROUNDS_SINGLES: bool = false;

// Takes the bits of an f32 that is no NaN.
fn narrow(x: vec4<u32>) -> vec4<u32> {
    return x;
}

// Takes the bits of any f32.
fn from_single(x: vec4<u32>) -> vec4<u32> {
    return x;
}
