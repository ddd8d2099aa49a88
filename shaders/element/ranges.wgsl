// The bounds of floats as ranges of keys, the low word first. Clamping compares keys, never floats. A key is the magnitude,
// inverted if the sign is set. As two's complement numbers, keys have the order: negative NaNs, −∞ to −0, +0 to +∞, positive
// NaNs. Keys wrap around, so the elements that a bound replaces are one range of keys, with or without NaNs. The two ranges
// share no key.
//
// Provides: Bounds, read_bounds, ZERO_WITHIN
// Needs: params, MAX_WINS, NAN_TO_MIN, NAN_TO_MAX, bits_of_bounds, key_of, ONE_KEY, FIRST_NAN, add, subtract, less
struct Bounds {
    below_first: vec2<u32>, // below_count keys from here on are replaced by min_bits
    below_count: vec2<u32>,
    above_first: vec2<u32>, // above_count keys from here on are replaced by max_bits
    above_count: vec2<u32>,
    min_bits: vec2<u32>,
    max_bits: vec2<u32>,
}

// Whether no bound replaces a zero or a NaN. Then the bounds' bits suffice.
override ZERO_WITHIN: bool = false;

fn read_bounds(first: vec4<u32>) -> Bounds {
    let zero = vec2<u32>(0u);
    let min_bits = bits_of_bounds(first).xy;
    let max_bits = bits_of_bounds(first).zw;
    if ZERO_WITHIN {
        return Bounds(zero, zero, zero, zero, min_bits, max_bits);
    }
    // −0 and +0, with keys −1 and 0, are equal: a bound of one zero does not replace the other.
    let minus_one = subtract(zero, ONE_KEY);
    var low = key_of(min_bits);
    low = select(low, minus_one, all(low == zero));
    var high = key_of(max_bits);
    high = select(high, zero, all(high == minus_one));
    // Where Min > Max, the winning bound replaces every number: `above` has all their keys.
    let crossed = less(high, low);
    let winner = select(min_bits, max_bits, (params.rules & MAX_WINS) != 0u);
    // FIRST_NAN is the key of the least NaN, and that of −∞ its negative. NaNs, modulo 2^64, follow +∞ and precede −∞.
    let lowest = subtract(zero, FIRST_NAN);
    let nans = subtract(lowest, FIRST_NAN);
    let to_max = (params.rules & NAN_TO_MAX) != 0u;
    let nans_below = (params.rules & NAN_TO_MIN) != 0u || (to_max && crossed);
    let above_first = select(add(high, ONE_KEY), lowest, crossed);
    return Bounds(
        select(lowest, FIRST_NAN, nans_below),
        add(select(subtract(low, lowest), zero, crossed), select(zero, nans, nans_below)),
        above_first,
        add(subtract(FIRST_NAN, above_first), select(zero, nans, to_max && !crossed)),
        select(min_bits, winner, crossed),
        select(max_bits, winner, crossed),
    );
}
