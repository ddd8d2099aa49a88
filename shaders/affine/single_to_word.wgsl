// From the bits of an f32 to the key of an integer of 32 bits: the exact real number, rounded once, saturated.
//
// Provides: affine
// Needs: numbers, Number, exact, to_key, from_singles, TO_NEAREST, shift_left

// The integer that a number is rounded to, without its sign. From 2^32 on it is 2^32 - 1, which saturates too.
fn integer_size(y: Number) -> u32 {
    if y.exponent > 31 {
        return 0xffffffffu;
    }
    // Below a half nothing is left, nor of 0.
    if y.exponent < -1 {
        return 0u;
    }
    let places = u32(31 - y.exponent);
    let whole = select(y.significand.y >> (places & 31u), 0u, places == 32u);
    let rest = shift_left(y.significand, 32u - places);
    let beyond_half = (rest.y << 1u) | rest.x | (whole & 1u);
    let up = TO_NEAREST && (rest.y >> 31u) == 1u && beyond_half != 0u && whole != 0xffffffffu;
    return whole + select(0u, 1u, up);
}

fn affine(bits: vec4<u32>) -> vec4<u32> {
    let a = numbers();
    let infinity = vec4<u32>(0x7f800000u);
    let size = bits & vec4<u32>(0x7fffffffu);
    // What is no finite number.
    let infinite = (bits & vec4<u32>(a.infinity_mask)) ^ vec4<u32>(a.infinity_flip);
    let special = from_singles(select(infinite, bits, size > infinity));

    let subnormal = size < vec4<u32>(0x00800000u);
    let zeros = countLeadingZeros(size);
    let leading = (size << vec4<u32>(8u)) | vec4<u32>(0x80000000u);
    var significand = select(leading, size << (zeros & vec4<u32>(31u)), subnormal);
    let field = bitcast<vec4<i32>>(size >> vec4<u32>(23u)) - vec4<i32>(127);
    var exponent = select(field, vec4<i32>(-118) - bitcast<vec4<i32>>(zeros), subnormal);
    var sign = bits & vec4<u32>(0x80000000u);
    var integers = vec4<u32>(0u);
    for (var i = 0u; i < 4u; i++) {
        let y = exact(significand.x, exponent.x, sign.x);
        significand = significand.yzwx;
        exponent = exponent.yzwx;
        sign = vec4<u32>(sign.yzw, y.sign);
        integers = vec4<u32>(integers.yzw, integer_size(y));
    }
    let keys = to_key(integers, sign != vec4<u32>(0u));
    return bitcast<vec4<u32>>(select(keys, special, size >= infinity));
}
