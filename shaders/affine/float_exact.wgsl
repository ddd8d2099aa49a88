// Floats of up to 32 bits: the exact real number, rounded once, in integers.
struct Affine {
    scale: u32,          // significand of |scale|, below 2^24; the number is scale * 2^scale_exponent
    scale_exponent: i32,
    scale_sign: u32,     // the dtype's SIGN or 0
    bias_sign: u32,      // the dtype's SIGN or 0
    bias: vec2<u32>,     // significand of |bias|, its top bit at bit 62, or 0; the low word first
    bias_exponent: i32,  // the number is bias * 2^bias_exponent
    infinity_mask: u32,  // ±∞ becomes (bits & infinity_mask) ^ infinity_flip
    infinity_flip: u32,
}

// Shifts right by any n; the lowest bit of the result is set if a 1 was lost.
fn shift_right_sticky(v: vec2<u32>, n: u32) -> vec2<u32> {
    let s = min(n, 63u); // significands here are below 2^63 or shifted by less than 63
    let shifted = shift_right(v, s);
    let lost = any(shift_left(shifted, s) != v);
    return vec2<u32>(shifted.x | select(0u, 1u, lost), shifted.y);
}

// significand * 2^exponent, to nearest, ties to even, subnormals kept. `significand` is not 0.
fn round_to_format(sign: u32, significand: vec2<u32>, exponent: i32) -> u32 {
    let zeros = leading_zeros(significand);
    let top = shift_left(significand, zeros); // the top bit at bit 63
    let biased = exponent - bitcast<i32>(zeros) + 63 + EXPONENT_BIAS;
    if biased > 2 * EXPONENT_BIAS {
        return sign | INFINITY;
    }
    // Down to the significand, a half and a sticky bit; further where the result is subnormal.
    let below_normal = u32(max(1 - biased, 0));
    let kept = shift_right_sticky(shift_right_sticky(top, 61u - MANTISSA_BITS), below_normal).x;
    let unit = kept >> 2u;
    let up = (kept & 2u) != 0u && (kept & 5u) != 0u;
    // The leading 1 of a normal significand adds to the exponent, as does a carry out of the rounding.
    let exponent_field = u32(max(biased - 1, 0)) << MANTISSA_BITS;
    return sign | (exponent_field + unit + select(0u, 1u, up));
}

fn affine_of_one(x: u32) -> u32 {
    let a = params.affine;
    let size = x & (SIGN - 1u);
    if size > INFINITY {
        return x;
    }
    if size == INFINITY {
        return (x & a.infinity_mask) ^ a.infinity_flip;
    }

    let exponent_field = size >> MANTISSA_BITS;
    let fraction = size & ((1u << MANTISSA_BITS) - 1u);
    let normal = exponent_field != 0u;
    let significand = select(fraction, fraction | (1u << MANTISSA_BITS), normal);
    let x_exponent = i32(max(exponent_field, 1u)) - EXPONENT_BIAS - i32(MANTISSA_BITS);

    let product_sign = (x & SIGN) ^ a.scale_sign;
    var product = multiply(significand, a.scale);
    if all(product == vec2<u32>(0u)) {
        if all(a.bias == vec2<u32>(0u)) {
            return product_sign & a.bias_sign;
        }
        return round_to_format(a.bias_sign, a.bias, a.bias_exponent);
    }
    let zeros = leading_zeros(product) - 1u; // to bit 62, as the bias
    product = shift_left(product, zeros);
    var exponent = x_exponent + a.scale_exponent - bitcast<i32>(zeros);
    if all(a.bias == vec2<u32>(0u)) {
        return round_to_format(product_sign, product, exponent);
    }

    // Both have zeros at the low end, at least 14, so a sticky bit there never meets the rounding, and
    // where a subtraction cancels much the shift was too short to lose a bit.
    var bias = a.bias;
    let distance = exponent - a.bias_exponent;
    if distance >= 0 {
        bias = shift_right_sticky(bias, bitcast<u32>(distance));
    } else {
        product = shift_right_sticky(product, bitcast<u32>(-distance));
        exponent = a.bias_exponent;
    }
    if product_sign == a.bias_sign {
        return round_to_format(product_sign, add(product, bias), exponent);
    }
    var sign = product_sign;
    var difference = subtract(product, bias);
    if (difference.y & 0x80000000u) != 0u {
        sign = a.bias_sign;
        difference = subtract(bias, product);
    }
    if all(difference == vec2<u32>(0u)) {
        return 0u; // exact cancellation gives +0
    }
    return round_to_format(sign, difference, exponent);
}

// In a loop: inlined once per element, compilers would take seconds.
fn affine(x: Operand) -> Operand {
    var all = x;
    for (var i = 0u; i < 4u; i++) {
        all = Operand(all.yzw, affine_of_one(all.x));
    }
    return all;
}
