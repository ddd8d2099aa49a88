// The product of a dequantised integer and the scale, rounded to an f32, ties to even. Computed in integers.
//
// Provides: Coefficients, read_coefficients, affine
// Needs: coefficients, significand, exponent, OPERAND_SIGN, OPERAND_INFINITY
struct Coefficients {
    scale: u32,          // significand of |scale|, its top bit at bit 23, or 0
    scale_exponent: i32, // exponent of that bit, less 1; of a scale of 0 far below
    scale_sign: u32,     // the sign bit, or 0
    zero_point: i32,
}

fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    let scale = first.z;
    let size = scale & 0x7fffffffu;
    let scale_exponent = select(exponent(size) - 1, -1000, size == 0u);
    return Coefficients(significand(size), scale_exponent, scale & 0x80000000u, bitcast<i32>(first.w));
}

// Rounds once, as if exponents had no limits. This is right below the normal numbers too: x is an integer, so there the
// product is a multiple of the smallest subnormal.
fn affine(x: vec4<u32>) -> vec4<u32> {
    let a = coefficients();
    let one = vec4<u32>(1u);
    let of_x = (x & vec4<u32>(0x7fffffu)) | vec4<u32>(0x800000u);
    // The product has 47 or 48 bits: `upper` has the bits from 16 on; the lower bytes of the parts are the others.
    let scale = vec4<u32>(a.scale);
    let byte = vec4<u32>(0xffu);
    let part_a = of_x * (scale & byte);
    let part_b = of_x * ((scale >> vec4<u32>(8u)) & byte) + (part_a >> vec4<u32>(8u));
    let upper = of_x * (scale >> vec4<u32>(16u)) + (part_b >> vec4<u32>(8u));
    let at_least_two = upper >> vec4<u32>(31u);
    // The top bit is bit 31.
    let leading = upper << (one - at_least_two);
    let kept = leading >> vec4<u32>(8u);
    let lost = (leading & byte) | min((part_a | part_b) & byte, one);
    let unit = kept + ((lost + vec4<u32>(0x7fu) + (kept & one)) >> vec4<u32>(8u));
    // The leading bit of a normal significand adds 1 to the exponent, as a carry does.
    let size = x & vec4<u32>(OPERAND_SIGN - 1u);
    let biased = bitcast<vec4<i32>>((size >> vec4<u32>(23u)) + at_least_two) + vec4<i32>(a.scale_exponent);
    let normal = max(biased, vec4<i32>(0));
    let below_normal = bitcast<vec4<u32>>(min(normal - biased, vec4<i32>(31)));
    let field = bitcast<vec4<u32>>(min(normal, vec4<i32>(254)));
    let rounded = (field << vec4<u32>(23u)) + (unit >> below_normal);
    let sign = (x & vec4<u32>(OPERAND_SIGN)) ^ vec4<u32>(a.scale_sign);
    return select(min(rounded, vec4<u32>(OPERAND_INFINITY)), vec4<u32>(0u), size == vec4<u32>(0u)) | sign;
}
