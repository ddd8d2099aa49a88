const SIGN: u32 = 0x8000u;
const INFINITY: u32 = 0x7f80u;
const MANTISSA_BITS: u32 = 7u;
const EXPONENT_BIAS: i32 = 127;

// To f32, for finite numbers: a bf16 is the upper half of an f32.
fn widen(bits: u32) -> f32 {
    return bitcast<f32>(bits << 16u);
}

// From f32, finite or infinite: to nearest, ties to even. A carry out of the mantissa raises the exponent,
// in the end to infinity.
fn narrow(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
}
