// F16 as destination. Uses no f16 type, which is optional.
//
// Provides: LANES, SIGN, SIGN_SHIFT, INFINITY, MANTISSA_BITS, EXPONENT_BIAS, ROUNDS_SINGLES, narrow, from_single
// Needs: narrowed_f16
const LANES: u32 = 2u; // elements per word
const SIGN: u32 = 0x8000u;
const SIGN_SHIFT: u32 = 16u; // moves SIGN to bit 31
const INFINITY: u32 = 0x7c00u;
const MANTISSA_BITS: u32 = 10u;
const EXPONENT_BIAS: i32 = 15;

// Whether the step's f32 is rounded again to the destination.
const ROUNDS_SINGLES: bool = true;

// Rounds an f32 that is no NaN to nearest even, and keeps subnormals; the result lies in the upper bits of the word.
fn narrow(bits: vec4<u32>) -> vec4<u32> {
    return narrowed_f16(bits);
}

// The same for any f32. A NaN becomes quiet and keeps the upper bits of its payload.
fn from_single(x: vec4<u32>) -> vec4<u32> {
    let payload = (x << vec4<u32>(3u)) & vec4<u32>(0x03ff0000u);
    let nan = payload | vec4<u32>(0x7e000000u) | (x & vec4<u32>(0x80000000u));
    return select(narrow(x), nan, (x & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
}
