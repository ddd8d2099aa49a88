// From integers of up to 32 bits to integers of up to 16: the exact value of `x * scale + bias`, rounded. The clamp
// saturates, since both bounds are numbers of the destination. `src/arithmetic/parts.rs` finds the numbers.
//
// Provides: Coefficients, read_coefficients, Sum, distance, affine
// Needs: numbers, coefficients, TO_NEAREST, LIMITS_KEYS, sum_of_parts
struct Coefficients {
    factor: u32,
    addend_high: u32, // the sum without the product, its upper and lower part; plus a half if rounding to nearest
    addend_low: u32,
    shift: u32,       // fraction bits in the upper part of the sum
    up: u32,          // a shift of the distance
    lowest: i32,      // a key outside `lowest` to `highest` gets the result of the nearer end
    highest: i32,
    flip: i32,        // all ones if the scale is negative: keys count down from the highest
    origin: i32,      // the flipped key of the end with the smaller result
}

fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    let second = numbers(channel, 1u);
    let shifts = second.y;
    var c = Coefficients(first.z, first.w, second.x, shifts & 31u, 0u, 0, 0, 0, 0);
    if LIMITS_KEYS {
        c.up = (shifts >> 8u) & 31u;
        c.lowest = bitcast<i32>(second.z);
        c.highest = bitcast<i32>(second.w);
        c.flip = bitcast<i32>(shifts) >> 31u;
        c.origin = select(c.lowest, ~c.highest, c.flip < 0);
    }
    return c;
}

// The sum of products and addend.
struct Sum {
    low: vec4<u32>, // not 0 if a bit below `high` is set
    high: vec4<u32>,
}

// The distance of a key from the end with the smaller result.
fn distance(k: vec4<i32>, a: Coefficients) -> vec4<u32> {
    let within = max(vec4<i32>(a.lowest), min(k, vec4<i32>(a.highest)));
    return bitcast<vec4<u32>>((within ^ vec4<i32>(a.flip)) - vec4<i32>(a.origin));
}

fn affine(k: vec4<i32>) -> vec4<i32> {
    let a = coefficients();
    let sum = sum_of_parts(k, a);
    let floor = bitcast<vec4<i32>>(sum.high) >> vec4<u32>(a.shift);
    let below = sum.low | (sum.high & vec4<u32>((1u << a.shift) - 1u));
    if TO_NEAREST {
        // If no fraction bit is set, the number is a tie and goes to even.
        return select(floor, floor & vec4<i32>(-2), below == vec4<u32>(0u));
    }
    return floor + bitcast<vec4<i32>>(min(below, sum.high >> vec4<u32>(31u)));
}
