// Step values, the operands of the affine step, of floats without conversion: elements in the upper bits of words.
//
// Provides: OPERAND_SIGN, OPERAND_SIGN_SHIFT, OPERAND_INFINITY, OPERAND_MANTISSA_BITS, OPERAND_EXPONENT_BIAS, TO_ODD,
//     step_value, from_step_value, widen_operand, narrow_operand
// Needs: SIGN, SIGN_SHIFT, INFINITY, MANTISSA_BITS, EXPONENT_BIAS, widen, narrow
const OPERAND_SIGN: u32 = SIGN;
const OPERAND_SIGN_SHIFT: u32 = SIGN_SHIFT;
const OPERAND_INFINITY: u32 = INFINITY;
const OPERAND_MANTISSA_BITS: u32 = MANTISSA_BITS;
const OPERAND_EXPONENT_BIAS: i32 = EXPONENT_BIAS;

// Whether the exact step rounds to odd, because another rounding follows.
const TO_ODD: bool = false;

fn step_value(bits: vec4<u32>) -> vec4<u32> {
    return bits << vec4<u32>(SIGN_SHIFT);
}

fn from_step_value(x: vec4<u32>) -> vec4<u32> {
    return x;
}

// To f32 and back; finite numbers only.

fn widen_operand(x: vec4<u32>) -> vec4<f32> {
    return widen(x);
}

fn narrow_operand(x: vec4<f32>) -> vec4<u32> {
    return narrow(bitcast<vec4<u32>>(x));
}
