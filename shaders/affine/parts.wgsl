// From 32-bit integers to integers of up to 16 bits: the exact value of `x * scale + bias`, rounded. The clamp
// saturates, since both bounds are numbers of the destination. Keys are limited to `lowest` and `highest`, beyond which
// all results saturate. The distance from one end then fits a few bits less than a word, and the factor is split into
// parts of these few bits, so no product exceeds 32 bits. `src/arithmetic/parts.rs` finds the numbers.
//
// Provides: Coefficients, read_coefficients, Sum, affine
// Needs: number, coefficients, TO_NEAREST, sum_of_parts
struct Coefficients {
    lowest: i32,      // a key outside `lowest` to `highest` gets the result of the nearer end
    highest: i32,
    flip: i32,        // all ones if the scale is negative: keys count down from the highest
    origin: i32,      // the flipped key of the end with the smaller result
    factor: u32,
    addend_high: i32, // the sum at that end, its upper and lower part; plus a half if rounding to nearest
    addend_low: u32,
    shift: u32,       // fraction bits in the sum of the uppermost parts
}

fn read_coefficients(channel: u32) -> Coefficients {
    let lowest = bitcast<i32>(number(channel, 2u));
    let highest = bitcast<i32>(number(channel, 3u));
    let shift = number(channel, 7u);
    // Bit 31 is set if the scale is negative.
    let flip = bitcast<i32>(shift) >> 31u;
    return Coefficients(
        lowest,
        highest,
        flip,
        select(lowest, ~highest, flip < 0),
        number(channel, 4u),
        bitcast<i32>(number(channel, 5u)),
        number(channel, 6u),
        shift & 31u,
    );
}

// The sum of the products and the addend.
struct Sum {
    low: vec4<u32>, // not 0 if a bit below `high` is set
    high: vec4<u32>,
}

fn affine(k: vec4<i32>) -> vec4<i32> {
    let a = coefficients();
    let within = max(vec4<i32>(a.lowest), min(k, vec4<i32>(a.highest)));
    let x = bitcast<vec4<u32>>((within ^ vec4<i32>(a.flip)) - vec4<i32>(a.origin));
    let sum = sum_of_parts(x, a);
    let floor = bitcast<vec4<i32>>(sum.high) >> vec4<u32>(a.shift);
    let below = sum.low | (sum.high & vec4<u32>((1u << a.shift) - 1u));
    if TO_NEAREST {
        // If no fraction bit is set, the number is a tie and goes to even.
        return select(floor, floor & vec4<i32>(-2), below == vec4<u32>(0u));
    }
    return floor + bitcast<vec4<i32>>(min(below, sum.high >> vec4<u32>(31u)));
}
