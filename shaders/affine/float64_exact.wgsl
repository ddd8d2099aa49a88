// F64: the exact value of `x * scale + bias`, rounded once. Computed in integers of 128 bits, the low word first.
//
// Provides: Coefficients, read_coefficients, affine
// Needs: numbers, coefficients, magnitude, is_nan, SIGN, INFINITY, MANTISSA_BITS, EXPONENT_BIAS, add, multiply,
//     shift_left, shift_right, leading_zeros
struct Coefficients {
    scale: vec2<u32>,    // significand of |scale|; the number is scale * 2^scale_exponent
    scale_exponent: i32,
    scale_sign: u32,     // SIGN or 0
    bias: vec4<u32>,     // significand of |bias|, its top bit at bit 126, or 0
    bias_exponent: i32,  // the number is bias * 2^bias_exponent
    bias_sign: u32,      // SIGN or 0
}

// The significand of a finite number, below 2^53, and the exponent of its lowest bit.
struct Binary {
    significand: vec2<u32>,
    exponent: i32,
}

fn binary(bits: vec2<u32>) -> Binary {
    let size = magnitude(bits);
    let field = size.y >> MANTISSA_BITS;
    let fraction = size.y & ((1u << MANTISSA_BITS) - 1u);
    let significand = vec2<u32>(size.x, select(fraction, fraction | (1u << MANTISSA_BITS), field != 0u));
    return Binary(significand, i32(max(field, 1u)) - EXPONENT_BIAS - 52);
}

fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    let second = numbers(channel, 1u);
    let scale_bits = second.xy;
    let bias_bits = second.zw;
    let scale = binary(scale_bits);
    let bias = binary(bias_bits);
    let zeros = leading_zeros(bias.significand) - 1u;
    return Coefficients(
        scale.significand,
        scale.exponent,
        scale_bits.y & SIGN,
        vec4<u32>(0u, 0u, shift_left(bias.significand, zeros)),
        bias.exponent - 64 - i32(zeros),
        bias_bits.y & SIGN,
    );
}

fn add128(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    let low = add(a.xy, b.xy);
    let carries = low.y < a.y || (low.y == a.y && low.x < a.x);
    let high = add(add(a.zw, b.zw), vec2<u32>(select(0u, 1u, carries), 0u));
    return vec4<u32>(low, high);
}

fn subtract128(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    return add128(add128(a, ~b), vec4<u32>(1u, 0u, 0u, 0u));
}

// The full product.
fn multiply64(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
    let low = multiply(a.x, b.x);
    let high = multiply(a.y, b.y);
    let cross_a = multiply(a.x, b.y);
    let cross_b = multiply(a.y, b.x);
    let outer = vec4<u32>(low, high);
    return add128(add128(outer, vec4<u32>(0u, cross_a, 0u)), vec4<u32>(0u, cross_b, 0u));
}

// v * 2^n, 0 <= n < 128.
fn shift_left128(v: vec4<u32>, n: u32) -> vec4<u32> {
    var w = v;
    w = select(w, vec4<u32>(0u, 0u, w.xy), (n & 64u) != 0u);
    w = select(w, vec4<u32>(0u, w.xyz), (n & 32u) != 0u);
    let s = n & 31u;
    let carried = (vec4<u32>(0u, w.xyz) >> vec4<u32>(1u)) >> vec4<u32>(31u - s);
    return (w << vec4<u32>(s)) | carried;
}

// v / 2^n rounded down, v unsigned, 0 <= n < 128.
fn shift_right128(v: vec4<u32>, n: u32) -> vec4<u32> {
    var w = v;
    w = select(w, vec4<u32>(w.zw, 0u, 0u), (n & 64u) != 0u);
    w = select(w, vec4<u32>(w.yzw, 0u), (n & 32u) != 0u);
    let s = n & 31u;
    let carried = (vec4<u32>(w.yzw, 0u) << vec4<u32>(1u)) << vec4<u32>(31u - s);
    return (w >> vec4<u32>(s)) | carried;
}

// v / 2^n rounded down, with the lowest bit set if a 1 was lost. Requires v < 2^127 or n < 127.
fn shift_right_sticky128(v: vec4<u32>, n: u32) -> vec4<u32> {
    let s = min(n, 127u);
    let shifted = shift_right128(v, s);
    let lost = any(shift_left128(shifted, s) != v);
    return vec4<u32>(shifted.x | select(0u, 1u, lost), shifted.yzw);
}

fn leading_zeros128(v: vec4<u32>) -> u32 {
    return select(leading_zeros(v.zw), 64u + leading_zeros(v.xy), all(v.zw == vec2<u32>(0u)));
}

// significand * 2^exponent, rounded to nearest, ties to even; subnormals are kept. `significand` is not 0.
fn round_to_format(sign: u32, significand: vec4<u32>, exponent: i32) -> vec2<u32> {
    let zeros = leading_zeros128(significand);
    let top = shift_left128(significand, zeros); // the top bit at bit 127
    let biased = exponent - bitcast<i32>(zeros) + 127 + EXPONENT_BIAS;
    if biased > 2 * EXPONENT_BIAS {
        return vec2<u32>(0u, sign | INFINITY);
    }
    // Keeps 53 bits of the significand (fewer if the result is subnormal), the half bit and a sticky bit.
    let below_normal = u32(max(1 - biased, 0));
    let kept = shift_right_sticky128(shift_right_sticky128(top, 73u), below_normal).xy;
    let unit = shift_right(kept, 2u);
    let up = (kept.x & 2u) != 0u && (kept.x & 5u) != 0u;
    // The leading 1 of a normal significand adds 1 to the exponent, as a carry out of the rounding does.
    let exponent_field = u32(max(biased - 1, 0)) << MANTISSA_BITS;
    let rounded = add(unit, vec2<u32>(select(0u, 1u, up), exponent_field));
    return vec2<u32>(rounded.x, rounded.y | sign);
}

fn affine(x: vec2<u32>) -> vec2<u32> {
    let a = coefficients();
    if is_nan(x) {
        return x;
    }
    let size = magnitude(x);
    if size.y == INFINITY {
        let quiet_nan = vec2<u32>(0u, INFINITY | (1u << (MANTISSA_BITS - 1u)));
        return select(vec2<u32>(x.x, x.y ^ a.scale_sign), quiet_nan, all(a.scale == vec2<u32>(0u)));
    }

    let of_x = binary(x);
    let product_sign = (x.y & SIGN) ^ a.scale_sign;
    var product = multiply64(of_x.significand, a.scale);
    if all(product == vec4<u32>(0u)) {
        if all(a.bias == vec4<u32>(0u)) {
            return vec2<u32>(0u, product_sign & a.bias_sign);
        }
        return round_to_format(a.bias_sign, a.bias, a.bias_exponent);
    }
    let zeros = leading_zeros128(product) - 1u; // moves the top bit to bit 126, where the bias has its own
    product = shift_left128(product, zeros);
    var exponent = of_x.exponent + a.scale_exponent - bitcast<i32>(zeros);
    if all(a.bias == vec4<u32>(0u)) {
        return round_to_format(product_sign, product, exponent);
    }

    // Product and bias end in at least 21 zeros, so a sticky bit stays below the bits that decide a rounding. If the
    // subtraction cancels many bits, the shift before it lost none.
    var bias = a.bias;
    let distance = exponent - a.bias_exponent;
    if distance >= 0 {
        bias = shift_right_sticky128(bias, bitcast<u32>(distance));
    } else {
        product = shift_right_sticky128(product, bitcast<u32>(-distance));
        exponent = a.bias_exponent;
    }
    if product_sign == a.bias_sign {
        return round_to_format(product_sign, add128(product, bias), exponent);
    }
    var sign = product_sign;
    var difference = subtract128(product, bias);
    if (difference.w & 0x80000000u) != 0u {
        sign = a.bias_sign;
        difference = subtract128(bias, product);
    }
    if all(difference == vec4<u32>(0u)) {
        return vec2<u32>(0u); // exact cancellation gives +0
    }
    return round_to_format(sign, difference, exponent);
}
