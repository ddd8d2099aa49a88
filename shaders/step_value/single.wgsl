// The format of the affine step's floats: f32. `own.wgsl` uses the format of the elements instead.
//
// Provides: OPERAND_SIGN, OPERAND_SIGN_SHIFT, OPERAND_INFINITY, OPERAND_MANTISSA_BITS, OPERAND_EXPONENT_BIAS,
//     widen_operand, narrow_operand
const OPERAND_SIGN: u32 = 0x80000000u;
const OPERAND_SIGN_SHIFT: u32 = 0u; // moves OPERAND_SIGN to bit 31
const OPERAND_INFINITY: u32 = 0x7f800000u;
const OPERAND_MANTISSA_BITS: u32 = 23u;
const OPERAND_EXPONENT_BIAS: i32 = 127;

// To f32 and back; finite numbers only.

fn widen_operand(x: vec4<u32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(x);
}

fn narrow_operand(x: vec4<f32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(x);
}
