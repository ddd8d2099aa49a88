// Floats of up to 32 bits, four at a time. Each lies in the upper bits of a word; the other bits may be anything, so
// the two 16-bit floats of a word need not be split first. The constants of `destination/` describe the format.
//
// Provides: StepValue, Bounds, read_bounds, element, elements, stepped, replaced, nan_value, nans_replaced, ZERO_WITHIN
// Needs: params, number, MAX_WINS, NAN_TO_MIN, NAN_TO_MAX, bounds, affine, step_value, from_step_value, SIGN_SHIFT,
//     INFINITY, OPERAND_SIGN, OPERAND_SIGN_SHIFT, OPERAND_INFINITY, OPERAND_MANTISSA_BITS
alias StepValue = vec4<u32>;

// The affine step's results, in the upper bits of words.
fn stepped(x: StepValue) -> vec4<u32> {
    return from_step_value(affine(x));
}

// The NaN that a step makes of `x`: a NaN stays, a number becomes the quiet NaN.
fn nan_value(x: vec4<u32>) -> vec4<u32> {
    let size = x & vec4<u32>((OPERAND_SIGN - 1u) << OPERAND_SIGN_SHIFT);
    let quiet_nan = (OPERAND_INFINITY + (1u << (OPERAND_MANTISSA_BITS - 1u))) << OPERAND_SIGN_SHIFT;
    return select(vec4<u32>(quiet_nan), x, size > vec4<u32>(OPERAND_INFINITY << OPERAND_SIGN_SHIFT));
}

// Replaces the NaNs of a step's result that count as a number. Here all NaNs stay: the bounds apply the NaN rule.
fn nans_replaced(x: vec4<u32>) -> vec4<u32> {
    return x;
}

// Clamping compares keys, never floats. A key is the magnitude, inverted if the sign is set. As two's complement
// numbers, keys have the order: negative NaNs, −∞ to −0, +0 to +∞, positive NaNs. Keys wrap around, so the elements
// that a bound replaces are one range of keys, with or without NaNs. The two ranges share no key. Keys of 16-bit floats
// and their counts lie in the upper half of a word.
struct Bounds {
    below_first: u32, // below_count keys from here on are replaced by min_bits
    below_count: u32,
    above_first: u32, // above_count keys from here on are replaced by max_bits
    above_count: u32,
    min_bits: u32, // a 16-bit bound is in both halves
    max_bits: u32,
}

// Whether no bound replaces a zero or a NaN. Then the bounds' bits suffice.
override ZERO_WITHIN: bool = false;

// The least distance of two keys, and the key of the least NaN. The key of −∞ is its negative.
const ONE_KEY: u32 = 1u << SIGN_SHIFT;
const FIRST_NAN: u32 = (INFINITY + 1u) << SIGN_SHIFT;

fn key_of_bound(bits: u32) -> u32 {
    let sign = bitcast<u32>(bitcast<i32>(bits) >> 31u);
    return ((bits & 0x7fffffffu) ^ sign) & (0u - ONE_KEY);
}

fn read_bounds(channel: u32) -> Bounds {
    let min_bits = number(channel, 0u);
    let max_bits = number(channel, 1u);
    if ZERO_WITHIN {
        return Bounds(0u, 0u, 0u, 0u, min_bits, max_bits);
    }
    // −0 and +0, with keys −1 and 0, are equal: a bound of one zero does not replace the other.
    var low = key_of_bound(min_bits);
    low = select(low, 0u - ONE_KEY, low == 0u);
    var high = key_of_bound(max_bits);
    high = select(high, 0u, high == 0u - ONE_KEY);
    // Where Min > Max, the winning bound replaces every number: `above` has all their keys.
    let crossed = bitcast<i32>(high) < bitcast<i32>(low);
    let winner = select(min_bits, max_bits, (params.rules & MAX_WINS) != 0u);
    // The keys of NaNs, modulo 2^32, follow that of +∞ and precede that of −∞.
    let lowest = 0u - FIRST_NAN;
    let nans = lowest - FIRST_NAN;
    let to_max = (params.rules & NAN_TO_MAX) != 0u;
    let nans_below = (params.rules & NAN_TO_MIN) != 0u || (to_max && crossed);
    let above_first = select(high + ONE_KEY, lowest, crossed);
    return Bounds(
        select(lowest, FIRST_NAN, nans_below),
        select(low - lowest, 0u, crossed) + select(0u, nans, nans_below),
        above_first,
        FIRST_NAN - above_first + select(0u, nans, to_max && !crossed),
        select(min_bits, winner, crossed),
        select(max_bits, winner, crossed),
    );
}

// The bound that replaces `x`, or `kept` if none does. `kept` is the same element in the bits where the caller needs
// it, such as the lower half of a word.
fn replaced(kept: vec4<u32>, x: vec4<u32>) -> vec4<u32> {
    let b = bounds();
    if ZERO_WITHIN {
        // Min replaces negative numbers only, and Max positive ones. After the subtraction, +∞ is the greatest unsigned
        // pattern and the positive numbers follow downwards, so one unsigned comparison finds numbers above Max. −∞ is
        // the greatest signed pattern and the negative numbers follow downwards, so one signed comparison finds numbers
        // below Min. NaNs come after the numbers in both orders. Bounds of −0 and +0 act alike.
        let rest = ONE_KEY - 1u;
        let turned = x - vec4<u32>(FIRST_NAN);
        let most = ((b.max_bits & 0x7fffffffu) | rest) - FIRST_NAN;
        let least = (b.min_bits | 0x80000000u | rest) - FIRST_NAN;
        let above = turned > vec4<u32>(most);
        let below = bitcast<vec4<i32>>(turned) > bitcast<vec4<i32>>(vec4<u32>(least));
        return select(select(kept, vec4<u32>(b.max_bits), above), vec4<u32>(b.min_bits), below);
    }
    // All ones if the sign is set.
    let sign = bitcast<vec4<u32>>(bitcast<vec4<i32>>(x) >> vec4<u32>(31u));
    let key = (x & vec4<u32>(0x7fffffffu)) ^ sign;
    let above = key - vec4<u32>(b.above_first) < vec4<u32>(b.above_count);
    let below = key - vec4<u32>(b.below_first) < vec4<u32>(b.below_count);
    return select(select(kept, vec4<u32>(b.max_bits), above), vec4<u32>(b.min_bits), below);
}

fn elements(bits: vec4<u32>) -> vec4<u32> {
    let y = stepped(step_value(bits));
    return replaced(y, y) >> vec4<u32>(SIGN_SHIFT);
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
