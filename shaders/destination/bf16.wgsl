// BF16 as destination: the upper half of an f32.
//
// Provides: SIGN, SIGN_SHIFT, INFINITY, MANTISSA_BITS, EXPONENT_BIAS, ROUNDS_SINGLES, narrow, from_single
const SIGN: u32 = 0x8000u;
const SIGN_SHIFT: u32 = 16u; // that moves SIGN to bit 31
const INFINITY: u32 = 0x7f80u;
const MANTISSA_BITS: u32 = 7u;
const EXPONENT_BIAS: i32 = 127;

// Whether an f32 is rounded once more.
const ROUNDS_SINGLES: bool = true;

// From the bits of an f32, finite or infinite, to the upper bits: to nearest, ties to even. A carry out of the mantissa
// raises the exponent, in the end to infinity.
fn narrow(x: vec4<u32>) -> vec4<u32> {
    return x + vec4<u32>(0x7fffu) + ((x >> vec4<u32>(16u)) & vec4<u32>(1u));
}

// From the bits of an f32, all of them, to the upper bits: a NaN becomes a quiet one with the upper bits of its payload.
fn from_single(x: vec4<u32>) -> vec4<u32> {
    let nan = x | vec4<u32>(0x00400000u);
    return select(narrow(x), nan, (x & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
}
