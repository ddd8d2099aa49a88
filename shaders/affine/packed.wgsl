// Rounds an exact sum to the bits of a float.
//
// Provides: packed
// Needs: Sum, OPERAND_INFINITY, OPERAND_MANTISSA_BITS, OPERAND_EXPONENT_BIAS, TO_ODD

// Bits that rounding drops from a significand whose top bit is bit 30.
const DROPPED_BITS: u32 = 30u - OPERAND_MANTISSA_BITS;

// v / 2^n rounded down, n below 32; the lowest bit is set if a 1 was lost.
fn shift_right_sticky(v: vec4<u32>, n: vec4<u32>) -> vec4<u32> {
    let shifted = v >> n;
    return shifted | min((shifted << n) ^ v, vec4<u32>(1u));
}

// Rounds to nearest even, or to odd. The leading 1 of a normal significand adds 1 to the exponent, as a carry does.
fn packed(y: Sum) -> vec4<u32> {
    // Moves the top bit to bit 30; the lowest bit is set if a 1 was lost.
    let one = vec4<u32>(1u);
    let cancelled = y.high == vec4<i32>(0);
    let rest = bitcast<vec4<u32>>(y.low);
    let high = select(bitcast<vec4<u32>>(y.high), rest, cancelled);
    let low = select(rest << vec4<u32>(4u), vec4<u32>(0u), cancelled);
    let zeros = countLeadingZeros(high);
    let up = zeros - one;
    let normal = (high << up) | (low >> (vec4<u32>(32u) - up)) | min(low << up, one);
    let biased = y.exponent + vec4<i32>(3) - bitcast<vec4<i32>>(zeros) - select(vec4<i32>(0), vec4<i32>(28), cancelled);

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
    let size = min((bitcast<vec4<u32>>(exponent_field) << vec4<u32>(OPERAND_MANTISSA_BITS)) + unit, vec4<u32>(largest));
    return select(size, vec4<u32>(0u), high == vec4<u32>(0u)) | y.sign;
}
