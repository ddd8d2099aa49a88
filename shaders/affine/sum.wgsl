// Scale and bias of exact steps from or to floats of up to 32 bits, and the exact sum. Uses integer arithmetic without
// branches, four elements at a time.
//
// Provides: Coefficients, read_coefficients, Sum, SUM_BITS, sum
// Needs: coefficients, significand, exponent, Specials, specials_of, OPERAND_SIGN_SHIFT, OPERAND_EXPONENT_BIAS

// ± (high * 2^28 + low) * 2^-56 * 2^exponent, with high < 2^30 and low < 2^28.
struct Sum {
    high: vec4<i32>,
    low: vec4<i32>,
    exponent: vec4<i32>, // plus the format's exponent bias
    sign: vec4<u32>,     // the format's sign bit, or 0
}

const SUM_BITS: vec4<i32> = vec4<i32>(0xfffffff);

struct Coefficients {
    scale: u32,          // significand of |scale|, its top bit at bit 23, or 0
    scale_exponent: i32, // exponent of that bit
    bias: i32,           // significand of |bias|, its top bit at bit 28, or 0
    bias_exponent: i32,  // exponent of that bit plus the format's exponent bias; for a bias of 0 far below all others
    scale_sign: u32,     // the format's sign bit, or 0
    bias_sign: u32,
    specials: Specials,
}

fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    let scale = first.z;
    let bias = first.w;
    let scale_size = scale & 0x7fffffffu;
    let bias_size = bias & 0x7fffffffu;
    return Coefficients(
        significand(scale_size),
        exponent(scale_size),
        bitcast<i32>(significand(bias_size) << 5u),
        select(exponent(bias_size) + OPERAND_EXPONENT_BIAS, -0x10000, bias_size == 0u),
        (scale & 0x80000000u) >> OPERAND_SIGN_SHIFT,
        (bias & 0x80000000u) >> OPERAND_SIGN_SHIFT,
        specials_of(scale, bias),
    );
}

// Adds the bias to a product. The product is 0, or its top bit is bit 28 of high; its lowest bit is 0.
fn sum(scaled: Sum) -> Sum {
    let a = coefficients();
    // Shifts the smaller number to the exponent of the greater, with a sticky bit. If the smaller loses bits, the
    // greater has a 0 in the place of the sticky bit, and at most one upper bit of the difference cancels.
    let bias_high = vec4<i32>(a.bias);
    let apart = scaled.exponent - vec4<i32>(a.bias_exponent);
    // A product of 0 is the smaller one at any distance below -1.
    let distance = select(apart, vec4<i32>(-64), scaled.high == vec4<i32>(0));
    let product_wins = distance + select(vec4<i32>(0), vec4<i32>(1), scaled.high >= bias_high) > vec4<i32>(0);
    let greater_high = select(bias_high, scaled.high, product_wins);
    let greater_low = select(vec4<i32>(0), scaled.low, product_wins);
    // The others. Of two opposite `select`s, FXC makes one instruction, `swapc`, whose result may overwrite a register that is
    // still needed.
    let smaller_high = scaled.high ^ bias_high ^ greater_high;
    let smaller_low = scaled.low ^ greater_low;

    let one = vec4<u32>(1u);
    // From 57 on, only the sticky bit is left; 59 is the longest distance that keeps shifts below 32.
    let n = min(bitcast<vec4<u32>>(abs(distance)), vec4<u32>(59u));
    let whole = min(n, vec4<u32>(31u));
    let to_left = vec4<u32>(28u) - min(n, vec4<u32>(28u));
    let to_right = n - min(n, vec4<u32>(28u));
    let shifted_high = smaller_high >> whole;
    let carried = ((smaller_high << to_left) >> to_right) & SUM_BITS;
    let lost = ((smaller_high << one) << (vec4<u32>(31u) - to_right)) | ((smaller_low << one) << (vec4<u32>(31u) - whole));
    let sticky = bitcast<vec4<i32>>(min(bitcast<vec4<u32>>(lost), one));
    let shifted_low = carried | (smaller_low >> whole) | sticky;

    // The sum or the difference, which is never negative. `low_sum >> 28` is the carry or borrow.
    let bias_sign = vec4<u32>(a.bias_sign);
    let negate = select(vec4<i32>(0), vec4<i32>(-1), scaled.sign != bias_sign);
    let low_sum = greater_low + ((shifted_low ^ negate) - negate);
    let high = greater_high + ((shifted_high ^ negate) - negate) + (low_sum >> vec4<u32>(28u));
    let low = low_sum & SUM_BITS;
    let exponent = select(vec4<i32>(a.bias_exponent), scaled.exponent, product_wins);
    // An exact 0 is negative only if both addends are.
    let nothing = (high | low) == vec4<i32>(0);
    let sign = select(select(bias_sign, scaled.sign, product_wins), scaled.sign & bias_sign, nothing);
    return Sum(high, low, exponent, sign);
}
