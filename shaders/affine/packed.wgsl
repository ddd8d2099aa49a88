// A significand and its exponent as the bits of a float without a sign, rounded.
//
// Provides: packed
// Needs: OPERAND_INFINITY, OPERAND_MANTISSA_BITS, OPERAND_EXPONENT_BIAS, TO_ODD

// Bits of the significand below the one that the result keeps last, where its top bit is at bit 30.
const DROPPED_BITS: u32 = 30u - OPERAND_MANTISSA_BITS;

// v / 2^n rounded down, n below 32; the lowest bit is set if a 1 was lost.
fn shift_right_sticky(v: vec4<u32>, n: vec4<u32>) -> vec4<u32> {
    let shifted = v >> n;
    return shifted | min((shifted << n) ^ v, vec4<u32>(1u));
}

// The top bit of `normal` is at bit 30, or it is 0; `biased` is the exponent of that bit plus OPERAND_EXPONENT_BIAS. The
// lowest bit of `normal` may stand for all that lies below. To nearest, ties to even, or to odd. The leading 1 of a normal
// significand adds to the exponent, as does a carry.
fn packed(normal: vec4<u32>, biased: vec4<i32>) -> vec4<u32> {
    let one = vec4<u32>(1u);
    let below_normal = clamp(vec4<i32>(1) - biased, vec4<i32>(0), vec4<i32>(31));
    let kept = shift_right_sticky(normal, bitcast<vec4<u32>>(below_normal));
    let odd = (kept >> vec4<u32>(DROPPED_BITS)) & one;
    var unit = (kept + odd + vec4<u32>((1u << (DROPPED_BITS - 1u)) - 1u)) >> vec4<u32>(DROPPED_BITS);
    var largest = OPERAND_INFINITY;
    if TO_ODD {
        unit = (kept >> vec4<u32>(DROPPED_BITS)) | min(kept & vec4<u32>((1u << DROPPED_BITS) - 1u), one);
        largest -= 1u;
    }
    let exponent_field = clamp(biased - vec4<i32>(1), vec4<i32>(0), vec4<i32>(2 * OPERAND_EXPONENT_BIAS));
    return min((bitcast<vec4<u32>>(exponent_field) << vec4<u32>(OPERAND_MANTISSA_BITS)) + unit, vec4<u32>(largest));
}
