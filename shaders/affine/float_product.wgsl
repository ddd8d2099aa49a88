// The exact product of a float and the scale.
//
// Provides: product
// Needs: coefficients, Sum, SUM_BITS, OPERAND_SIGN, OPERAND_MANTISSA_BITS
fn product(x: vec4<u32>) -> Sum {
    let a = coefficients();
    let size = x & vec4<u32>(OPERAND_SIGN - 1u);
    // |x| is significand * 2^-23 * 2^(exponent − the format's bias).
    let field = size >> vec4<u32>(OPERAND_MANTISSA_BITS);
    let zeros = countLeadingZeros(size);
    let subnormal = field == vec4<u32>(0u);
    let leading = (size << vec4<u32>(31u - OPERAND_MANTISSA_BITS)) | vec4<u32>(0x80000000u);
    let significand = select(leading, size << (zeros & vec4<u32>(31u)), subnormal) >> vec4<u32>(8u);
    let exponent = bitcast<vec4<i32>>(select(field, vec4<u32>(32u - OPERAND_MANTISSA_BITS) - zeros, subnormal));

    // The product has 48 bits: `upper` has the bits from 16 on, `lower` the lowest 32.
    let scale = vec4<u32>(a.scale);
    let byte = vec4<u32>(0xffu);
    let part_a = significand * (scale & byte);
    let part_b = significand * ((scale >> vec4<u32>(8u)) & byte) + (part_a >> vec4<u32>(8u));
    let upper = significand * (scale >> vec4<u32>(16u)) + (part_b >> vec4<u32>(8u));
    let lower = significand * scale;
    let at_least_two = upper >> vec4<u32>(31u);
    let high = bitcast<vec4<i32>>(upper >> (vec4<u32>(2u) + at_least_two));
    let low = bitcast<vec4<i32>>(lower << (vec4<u32>(10u) - at_least_two)) & SUM_BITS;
    let top = exponent + vec4<i32>(a.scale_exponent) + bitcast<vec4<i32>>(at_least_two);
    return Sum(high, low, top, (x & vec4<u32>(OPERAND_SIGN)) ^ vec4<u32>(a.scale_sign));
}
