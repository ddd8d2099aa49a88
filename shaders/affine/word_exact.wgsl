// Between integers of 32 bits and floats: the exact real number in 64 bits, of one element after the other.
//
// Provides: Number, exact
// Needs: numbers, multiply, add, subtract, less_unsigned, shift_left, shift_right, leading_zeros
// ± significand * 2^(exponent - 63), the low word first. The top bit is at bit 63, and the lowest one may stand for all that
// lies below. A significand of 0 has the exponent OF_ZERO, far below all others.
struct Number {
    significand: vec2<u32>,
    exponent: i32, // of the top bit
    sign: u32,
}

const OF_ZERO: i32 = -0x20000;

// x * scale + bias, x as ± significand * 2^(exponent - 31), the top bit of its significand at bit 31, or 0.
fn exact(significand: u32, exponent: i32, sign: u32) -> Number {
    let a = numbers();
    // Top bits at bit 61, so that a sum has room.
    let full = multiply(significand, a.scale << 8u);
    let up = full.y >> 31u;
    let product = shift_right(full, 1u + up);
    let product_is_zero = (full.x | full.y) == 0u;
    let product_exponent = select(exponent + a.scale_exponent + i32(up), OF_ZERO, product_is_zero);
    let product_sign = sign ^ a.scale_sign;
    let bias = vec2<u32>(0u, bitcast<u32>(a.bias) << 1u);
    let bias_exponent = a.bias_exponent - 127;

    // The smaller one is shifted down to the exponent of the greater one.
    let apart = product_exponent - bias_exponent;
    let bias_wins = apart < 0 || (apart == 0 && less_unsigned(product, bias));
    let greater = select(product, bias, bias_wins);
    let smaller = select(bias, product, bias_wins);
    let distance = min(u32(abs(apart)), 63u);
    let shifted = shift_right(smaller, distance);
    let lost = any(shift_left(shifted, distance) != smaller);
    let aligned = vec2<u32>(shifted.x | select(0u, 1u, lost), shifted.y);
    let differ = product_sign != a.bias_sign;
    let sum = select(add(greater, aligned), subtract(greater, aligned), differ);

    let zeros = leading_zeros(sum);
    let nothing = zeros == 64u;
    let top = select(product_exponent, bias_exponent, bias_wins) + 2 - i32(zeros);
    // An exact 0 is negative only if both addends are.
    let sum_sign = select(select(product_sign, a.bias_sign, bias_wins), product_sign & a.bias_sign, nothing);
    return Number(shift_left(sum, zeros & 63u), select(top, OF_ZERO, nothing), sum_sign);
}
