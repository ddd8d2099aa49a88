// From a 32-bit integer to the bits of an f32: the exact value of `x * scale + bias`, rounded once.
//
// Provides: affine
// Needs: coefficients, Sum, SUM_BITS, magnitude, sign_of, sum, packed, with_specials

// The exact product of the integer and the scale.
fn product(bits: vec4<u32>) -> Sum {
    let a = coefficients();
    let size = magnitude(bits);
    let zeros = countLeadingZeros(size);
    let x = size << (zeros & vec4<u32>(31u));

    // The product has 56 bits: `upper` has the bits from 28 on, `lower` the lowest 28. Factors of 16 and 12 bits leave
    // room for carries.
    let scale = vec4<u32>(a.scale);
    let x_high = x >> vec4<u32>(16u);
    let x_low = x & vec4<u32>(0xffffu);
    let scale_high = scale >> vec4<u32>(12u);
    let scale_low = scale & vec4<u32>(0xfffu);
    let part_a = x_low * scale_high + ((x_low * scale_low) >> vec4<u32>(12u));
    let part_b = x_high * scale_low + (part_a >> vec4<u32>(4u));
    let upper = x_high * scale_high + (part_b >> vec4<u32>(12u));
    let lower = (x * scale) & vec4<u32>(0xfffffffu);
    let at_least_two = upper >> vec4<u32>(27u);
    let up = vec4<u32>(2u) - at_least_two;
    let high = bitcast<vec4<i32>>((upper << up) | (lower >> (vec4<u32>(28u) - up)));
    let low = bitcast<vec4<i32>>(lower << up) & SUM_BITS;
    let exponent = vec4<i32>(158) - bitcast<vec4<i32>>(zeros - at_least_two) + vec4<i32>(a.scale_exponent);
    return Sum(high, low, exponent, sign_of(bits) ^ vec4<u32>(a.scale_sign));
}

fn affine(bits: vec4<u32>) -> vec4<u32> {
    return with_specials(packed(sum(product(bits))), bits);
}
