// 64-bit floats, the low word first. `destination/f64.wgsl` describes the format.
//
// Provides: StepValue, Bounds, read_bounds, element, magnitude, is_nan, ZERO_WITHIN
// Needs: params, number, MAX_WINS, NAN_TO_MIN, NAN_TO_MAX, bounds, affine, SIGN, INFINITY, add, subtract, less,
//     less_unsigned
alias StepValue = vec2<u32>;

// As in `float.wgsl`.
struct Bounds {
    below_first: vec2<u32>, // below_count keys from here on are replaced by min_bits
    below_count: vec2<u32>,
    above_first: vec2<u32>, // above_count keys from here on are replaced by max_bits
    above_count: vec2<u32>,
    min_bits: vec2<u32>,
    max_bits: vec2<u32>,
}

fn magnitude(bits: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(bits.x, bits.y & (SIGN - 1u));
}

fn is_nan(bits: vec2<u32>) -> bool {
    let size = magnitude(bits);
    return size.y > INFINITY || (size.y == INFINITY && size.x != 0u);
}

// As in `float.wgsl`.
override ZERO_WITHIN: bool = false;

const FIRST_NAN: vec2<u32> = vec2<u32>(1u, INFINITY);

fn key_of(bits: vec2<u32>) -> vec2<u32> {
    // All ones if the sign is set.
    let sign = bitcast<u32>(bitcast<i32>(bits.y) >> 31u);
    return magnitude(bits) ^ vec2<u32>(sign);
}

// As in `float.wgsl`.
fn read_bounds(channel: u32) -> Bounds {
    let zero = vec2<u32>(0u);
    let min_bits = vec2<u32>(number(channel, 0u), number(channel, 1u));
    let max_bits = vec2<u32>(number(channel, 2u), number(channel, 3u));
    if ZERO_WITHIN {
        return Bounds(zero, zero, zero, zero, min_bits, max_bits);
    }
    var low = key_of(min_bits);
    low = select(low, ~zero, all(low == zero));
    var high = key_of(max_bits);
    high = select(high, zero, all(high == ~zero));
    let crossed = less(high, low);
    let winner = select(min_bits, max_bits, (params.rules & MAX_WINS) != 0u);
    let lowest = subtract(zero, FIRST_NAN);
    let nans = subtract(lowest, FIRST_NAN);
    let to_max = (params.rules & NAN_TO_MAX) != 0u;
    let nans_below = (params.rules & NAN_TO_MIN) != 0u || (to_max && crossed);
    let above_first = select(add(high, vec2<u32>(1u, 0u)), lowest, crossed);
    return Bounds(
        select(lowest, FIRST_NAN, nans_below),
        add(select(subtract(low, lowest), zero, crossed), select(zero, nans, nans_below)),
        above_first,
        add(subtract(FIRST_NAN, above_first), select(zero, nans, to_max && !crossed)),
        select(min_bits, winner, crossed),
        select(max_bits, winner, crossed),
    );
}

fn clamp_bits(x: vec2<u32>) -> vec2<u32> {
    let b = bounds();
    if ZERO_WITHIN {
        let turned = subtract(x, FIRST_NAN);
        let most = subtract(magnitude(b.max_bits), FIRST_NAN);
        let least = subtract(b.min_bits | vec2<u32>(0u, 0x80000000u), FIRST_NAN);
        // If the lower word is greater, an equal upper word suffices. Neither bound's upper word is the lowest, so the
        // subtraction of 1 does not wrap.
        let above = turned.y > most.y - select(0u, 1u, turned.x > most.x);
        let below = bitcast<i32>(turned.y) > bitcast<i32>(least.y - select(0u, 1u, turned.x > least.x));
        return select(select(x, b.max_bits, above), b.min_bits, below);
    }
    let key = key_of(x);
    let above = less_unsigned(subtract(key, b.above_first), b.above_count);
    let below = less_unsigned(subtract(key, b.below_first), b.below_count);
    return select(select(x, b.max_bits, above), b.min_bits, below);
}

fn element(bits: vec2<u32>) -> vec2<u32> {
    return clamp_bits(affine(bits));
}
