// BF16 as destination: the upper half of an f32.
//
// Provides: LANES, SIGN, SIGN_SHIFT, INFINITY, MANTISSA_BITS, EXPONENT_BIAS, ROUNDS_SINGLES, narrow, from_single
const LANES: u32 = 2u; // elements per word
const SIGN: u32 = 0x8000u;
const SIGN_SHIFT: u32 = 16u; // moves SIGN to bit 31
const INFINITY: u32 = 0x7f80u;
const MANTISSA_BITS: u32 = 7u;
const EXPONENT_BIAS: i32 = 127;

// Whether the step's f32 is rounded again to the destination.
const ROUNDS_SINGLES: bool = true;

// Rounds an f32 that is no NaN to nearest even; the result lies in the upper bits of the word. A carry out of the
// mantissa raises the exponent, up to infinity.
fn narrow(x: vec4<u32>) -> vec4<u32> {
    return x + vec4<u32>(0x7fffu) + ((x >> vec4<u32>(16u)) & vec4<u32>(1u));
}

// The same for any f32. A NaN becomes quiet and keeps the upper bits of its payload.
fn from_single(x: vec4<u32>) -> vec4<u32> {
    let nan = x | vec4<u32>(0x00400000u);
    return select(narrow(x), nan, (x & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
}
