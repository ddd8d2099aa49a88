// From an integer of 32 bits to the bits of an f32: the exact real number, rounded once; a NaN where the step has a NaN or
// an infinity.
//
// Provides: affine
// Needs: numbers, exact, magnitude, sign_of, packed, OPERAND_EXPONENT_BIAS, HAS_SPECIALS
fn affine(bits: vec4<u32>) -> vec4<u32> {
    var size = magnitude(bits);
    var sign = sign_of(bits);
    var normal = vec4<u32>(0u);
    var biased = vec4<i32>(0);
    for (var i = 0u; i < 4u; i++) {
        let zeros = countLeadingZeros(size.x);
        let y = exact(size.x << (zeros & 31u), 31 - i32(zeros), sign.x);
        let low = y.significand.x | (y.significand.y & 1u);
        size = size.yzwx;
        sign = vec4<u32>(sign.yzw, y.sign);
        normal = vec4<u32>(normal.yzw, (y.significand.y >> 1u) | min(low, 1u));
        biased = vec4<i32>(biased.yzw, y.exponent + OPERAND_EXPONENT_BIAS);
    }
    let result = packed(normal, biased) | sign;
    let a = numbers();
    return select(result, vec4<u32>(a.infinity_flip), HAS_SPECIALS && a.infinite_from == 0u);
}
