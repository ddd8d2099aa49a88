// BF16.
//
// Provides: SIGN, SIGN_SHIFT, INFINITY, MANTISSA_BITS, EXPONENT_BIAS, widen, narrow
const SIGN: u32 = 0x8000u;
const SIGN_SHIFT: u32 = 16u; // that moves SIGN to bit 31
const INFINITY: u32 = 0x7f80u;
const MANTISSA_BITS: u32 = 7u;
const EXPONENT_BIAS: i32 = 127;

// To f32, for finite numbers: a bf16 is the upper half of an f32.
fn widen(bits: vec4<u32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bits << vec4<u32>(16u));
}

// From f32, finite or infinite: to nearest, ties to even. A carry out of the mantissa raises the exponent,
// in the end to infinity.
fn narrow(x: vec4<f32>) -> vec4<u32> {
    let bits = bitcast<vec4<u32>>(x);
    let half = vec4<u32>(16u);
    return (bits + vec4<u32>(0x7fffu) + ((bits >> half) & vec4<u32>(1u))) >> half;
}
