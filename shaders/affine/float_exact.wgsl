// Floats of up to 32 bits: the exact real number, rounded once, in integers. Without branches, four at a time.
//
// A number in the making is (high * 2^24 + low) * 2^-52 * 2^exponent: two words, high below 2^30 and low below 2^24, so
// that a carry or a borrow is a shift. Product and bias have their top bit at bit 28 of high, unless they are 0.
//
// Provides: affine
// Needs: numbers, packed, OPERAND_SIGN, OPERAND_SIGN_SHIFT, OPERAND_INFINITY, OPERAND_MANTISSA_BITS
const LOW_BITS: vec4<i32> = vec4<i32>(0xffffff);

fn affine(bits: vec4<u32>) -> vec4<u32> {
    let a = numbers();
    let x = bits >> vec4<u32>(OPERAND_SIGN_SHIFT);
    let one = vec4<u32>(1u);
    let size = x & vec4<u32>(OPERAND_SIGN - 1u);

    // |x| is significand * 2^-23 * 2^(x_exponent - OPERAND_EXPONENT_BIAS).
    let field = size >> vec4<u32>(OPERAND_MANTISSA_BITS);
    let zeros = countLeadingZeros(size);
    let subnormal = field == vec4<u32>(0u);
    let leading = (size << vec4<u32>(31u - OPERAND_MANTISSA_BITS)) | vec4<u32>(0x80000000u);
    let significand = select(leading, size << (zeros & vec4<u32>(31u)), subnormal) >> vec4<u32>(8u);
    let x_exponent = bitcast<vec4<i32>>(select(field, vec4<u32>(32u - OPERAND_MANTISSA_BITS) - zeros, subnormal));

    // 48 bits: those from bit 16 on, and the lowest 32.
    let scale = vec4<u32>(a.scale);
    let byte = vec4<u32>(0xffu);
    let part_a = significand * (scale & byte);
    let part_b = significand * ((scale >> vec4<u32>(8u)) & byte) + (part_a >> vec4<u32>(8u));
    let upper = significand * (scale >> vec4<u32>(16u)) + (part_b >> vec4<u32>(8u));
    let lower = significand * scale;
    let at_least_two = upper >> vec4<u32>(31u);
    let product_high = bitcast<vec4<i32>>(upper >> (vec4<u32>(2u) + at_least_two));
    let product_low = bitcast<vec4<i32>>(lower << (vec4<u32>(6u) - at_least_two)) & LOW_BITS;
    let product_exponent = x_exponent + vec4<i32>(a.scale_exponent) + bitcast<vec4<i32>>(at_least_two);

    // The smaller one is shifted down to the exponent of the greater one. If it loses bits, the greater one has none
    // there, and none of the difference's upper bits cancel.
    let bias_high = vec4<i32>(a.bias);
    let apart = product_exponent - vec4<i32>(a.bias_exponent);
    let distance = select(apart, vec4<i32>(-64), product_high == vec4<i32>(0));
    let product_wins = distance + select(vec4<i32>(0), vec4<i32>(1), product_high >= bias_high) > vec4<i32>(0);
    let greater_high = select(bias_high, product_high, product_wins);
    let greater_low = select(vec4<i32>(0), product_low, product_wins);
    let smaller_high = select(product_high, bias_high, product_wins);
    let smaller_low = select(product_low, vec4<i32>(0), product_wins);
    let exponent = select(vec4<i32>(a.bias_exponent), product_exponent, product_wins);

    let n = min(bitcast<vec4<u32>>(abs(distance)), vec4<u32>(55u));
    let whole = min(n, vec4<u32>(31u));
    let to_left = vec4<u32>(24u) - min(n, vec4<u32>(24u));
    let to_right = n - min(n, vec4<u32>(24u));
    let shifted_high = smaller_high >> whole;
    let carried = ((smaller_high << to_left) >> to_right) & LOW_BITS;
    let lost = ((smaller_high << one) << (vec4<u32>(31u) - to_right)) | ((smaller_low << one) << (vec4<u32>(31u) - whole));
    let sticky = bitcast<vec4<i32>>(min(bitcast<vec4<u32>>(lost), one));
    let shifted_low = carried | (smaller_low >> whole) | sticky;

    // Sum, or difference, never negative.
    let product_sign = (x & vec4<u32>(OPERAND_SIGN)) ^ vec4<u32>(a.scale_sign);
    let differ = (product_sign ^ vec4<u32>(a.bias_sign)) << vec4<u32>(OPERAND_SIGN_SHIFT);
    let negate = bitcast<vec4<i32>>(differ) >> vec4<u32>(31u);
    let sum_low = greater_low + ((shifted_low ^ negate) - negate);
    let sum_high = greater_high + ((shifted_high ^ negate) - negate) + (sum_low >> vec4<u32>(24u));

    // The top bit to bit 30.
    let cancelled = sum_high == vec4<i32>(0);
    let rest = bitcast<vec4<u32>>(sum_low & LOW_BITS);
    let high = select(bitcast<vec4<u32>>(sum_high), rest, cancelled);
    let low = select(rest << vec4<u32>(8u), vec4<u32>(0u), cancelled);
    let sum_zeros = countLeadingZeros(high);
    let up = sum_zeros - one;
    let normal = (high << up) | (low >> (vec4<u32>(32u) - up)) | min(low << up, one);
    let biased = exponent + vec4<i32>(3) - bitcast<vec4<i32>>(sum_zeros) - select(vec4<i32>(0), vec4<i32>(24), cancelled);

    let magnitude = packed(normal, biased);

    // An exact 0 is negative only if both addends are.
    let nothing = high == vec4<u32>(0u);
    let sign = select(vec4<u32>(a.bias_sign), product_sign, product_wins);
    let finite = select(magnitude | sign, product_sign & vec4<u32>(a.bias_sign), nothing);
    let infinite = (x & vec4<u32>(a.infinity_mask)) ^ vec4<u32>(a.infinity_flip);
    let infinity = vec4<u32>(OPERAND_INFINITY);
    let result = select(select(finite, infinite, size >= vec4<u32>(a.infinite_from)), x, size > infinity);
    return result << vec4<u32>(OPERAND_SIGN_SHIFT);
}
