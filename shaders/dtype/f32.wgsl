const SIGN: u32 = 0x80000000u;
const INFINITY: u32 = 0x7f800000u;
const MANTISSA_BITS: u32 = 23u;
const EXPONENT_BIAS: i32 = 127;

// To f32 and back, for finite numbers.

fn widen(bits: u32) -> f32 {
    return bitcast<f32>(bits);
}

fn narrow(x: f32) -> u32 {
    return bitcast<u32>(x);
}
