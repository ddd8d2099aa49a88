// From the bits of an f32 to the key of a 32-bit integer: the exact value of `x * scale + bias`, rounded once and
// saturated.
//
// Provides: affine
// Needs: Sum, product, sum, to_key, from_singles, with_specials, TO_NEAREST, OPERAND_EXPONENT_BIAS

// The magnitude of the rounded number. Magnitudes from 2^32 on become 2^32 - 1, which saturates too.
fn integer_size(y: Sum) -> vec4<u32> {
    let one = vec4<u32>(1u);
    let zero = vec4<u32>(0u);
    // Moves the top bit to bit 31 of high; low follows.
    let cancelled = y.high == vec4<i32>(0);
    let rest = bitcast<vec4<u32>>(y.low);
    let sum_high = select(bitcast<vec4<u32>>(y.high), rest, cancelled);
    let sum_low = select(rest << vec4<u32>(4u), zero, cancelled);
    let zeros = countLeadingZeros(sum_high);
    let up = zeros & vec4<u32>(31u);
    let high = (sum_high << up) | ((sum_low >> one) >> (vec4<u32>(31u) - up));
    let low = sum_low << up;
    let bias = vec4<i32>(OPERAND_EXPONENT_BIAS - 3) + select(vec4<i32>(0), vec4<i32>(28), cancelled);
    let exponent = y.exponent - bias - bitcast<vec4<i32>>(zeros);

    // Numbers below a half become 0 (`nothing`). For numbers from a half to one, all bits of `high` are fraction bits.
    let places = bitcast<vec4<u32>>(clamp(vec4<i32>(31) - exponent, vec4<i32>(0), vec4<i32>(31)));
    let below_one = exponent < vec4<i32>(0);
    let whole = select(high >> places, zero, below_one);
    let first = select((high << one) << (vec4<u32>(31u) - places), high, below_one);
    let fraction = select(first, low, places == zero);
    let beyond = select(low, zero, places == zero);
    // Fraction bits beyond the first 32 make bit 0 sticky; bit 0 is never the half.
    let sticky = min(beyond, one);
    let half = fraction >> vec4<u32>(31u);
    let beyond_half = min((fraction << one) | sticky | (whole & one), one);
    let up_to_nearest = half & beyond_half;
    var rounded = whole;
    if TO_NEAREST {
        rounded = whole + select(up_to_nearest, zero, whole == vec4<u32>(0xffffffffu));
    }
    let nothing = (exponent < vec4<i32>(-1)) | (sum_high == zero);
    return select(select(rounded, vec4<u32>(0xffffffffu), exponent > vec4<i32>(31)), zero, nothing);
}

fn affine(bits: vec4<u32>) -> vec4<u32> {
    // Only the results of infinities and NaNs are taken from `special`.
    let special = from_singles(with_specials(bits, bits));
    let y = sum(product(bits));
    let keys = to_key(integer_size(y), y.sign != vec4<u32>(0u));
    let is_special = (bits & vec4<u32>(0x7fffffffu)) >= vec4<u32>(0x7f800000u);
    return bitcast<vec4<u32>>(select(keys, special, is_special));
}
