// The rounded quotient of a float and the scale: the real quotient, rounded to an f32, then to the nearest integer, ties
// to even both times. An estimate by f32 arithmetic finds the integer below, a remainder in integers decides the rest.
//
// Provides: Coefficients, read_coefficients, quotient
// Needs: numbers, coefficients, significand, exponent
struct Coefficients {
    least: i32,       // the bits of an f32: half the power of two below the scale
    most: i32,        // this power times 2^18, or ∞
    exponent: i32,    // of this power, shifted to the place of an f32's exponent
    reciprocal: f32,  // 2^23 / scale, rounded to nearest
    scale: i32,       // the significand of |scale|, its top bit at bit 23
    sign: u32,        // a number with the scale's sign
    zero_point: i32,
    beyond_from: u32, // ∞: the quotient of this magnitude is BEYOND
}

fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    let second = numbers(channel, 1u);
    let scale = first.z;
    let size = scale & 0x7fffffffu;
    let power = exponent(size);
    let least = (power + 126) << 23u;
    let most = min(power + 145, 255) << 23u;
    return Coefficients(
        least, most, power << 23u, bitcast<f32>(second.x), bitcast<i32>(significand(size)),
        scale, bitcast<i32>(first.w), 0x7f800000u);
}

// Why this is exact. Let S = `scale`, and u = X * 2^(shift - 24) = |x| / 2^(the scale's exponent), so that the quotient
// is t = u * 2^23 / S, from u / 2 (exclusive) to u. Below u = 1/2 the result is 0, as at 1/2: t is at most 1/2. From
// u = 2^18 on t exceeds 2^17, and every result saturates. So u can be limited to these two.
//
// 1. The estimate is the product of two f32s. Whatever the device's rounding, its relative error is below 2^-22: the
//    reciprocal is the nearest f32, the product one of the two f32s beside the number. So t differs from the estimate by less
//    than 1/16, and with k = `below`, the integer below the estimate, t lies between k - 1/16 and k + 17/16.
// 2. The result is therefore k or k + 1. It is k + 1 if round_f32(t) is above h = k + 1/2, or is h and k is odd. h is an
//    f32 with an even significand, because it takes at most 20 bits. So round_f32(t) is h exactly if t lies within w of
//    h, ends included: w = 2^(e - 24) is half the distance of f32s above h, e is the exponent of h. (Below h = 1/2 f32s
//    lie closer, but k = 0 is even and only the upper end counts.)
// 3. t - h = rest / (2 * S) with the integer rest = X * 2^shift - (2 * k + 1) * S, and w = 2^(e - 23) * S / (2 * S). An
//    integer exceeds S * 2^(e - 23) if it exceeds its whole part, `half_unit`; and it is at least -S * 2^(e - 23) if it is
//    at least -half_unit, or exceeds -half_unit - 1 = ~half_unit.
// 4. By 1, |t - h| < 5/8, so |rest| < 2^25: arithmetic modulo 2^32 has the rest, also where its two terms wrap.
fn quotient(size: vec4<u32>) -> vec4<i32> {
    let a = coefficients();
    // A subnormal becomes an f32's bits with an exponent field of 0 or less. The conversion is exact.
    let subnormal = bitcast<vec4<i32>>(vec4<f32>(bitcast<vec4<i32>>(size))) - vec4<i32>(149 << 23u);
    let x = select(bitcast<vec4<i32>>(size), subnormal, size < vec4<u32>(0x00800000u));
    let u = max(vec4<i32>(a.least), min(x, vec4<i32>(a.most))) - vec4<i32>(a.exponent);
    let estimate = bitcast<vec4<f32>>(u) * vec4<f32>(a.reciprocal);
    let below = vec4<i32>(estimate);
    let twice = below + below + vec4<i32>(1);
    // From 0 to 19. Bits above are 0: u is positive.
    let shift = bitcast<vec4<u32>>(u >> vec4<u32>(23u)) - vec4<u32>(126u);
    let of_u = (u & vec4<i32>(0x7fffff)) | vec4<i32>(0x800000);
    let rest = (of_u << shift) - twice * vec4<i32>(a.scale);
    // The exponent field of twice h is 128 + e.
    let field = bitcast<vec4<u32>>(vec4<f32>(twice)) >> vec4<u32>(23u);
    let half_unit = vec4<i32>(a.scale) >> (vec4<u32>(151u) - field);
    // Inverted if k is odd.
    let edge = half_unit ^ (vec4<i32>(0) - (below & vec4<i32>(1)));
    return below + select(vec4<i32>(0), vec4<i32>(1), rest > edge);
}
