// Floats of up to 32 bits, four at a time: each is worked on in the upper bits of a word, whose other bits may be
// anything. So two that share a word need not be taken apart first. The destination names the format.
//
// Provides: StepValue, Bounds, element, elements, stepped, replaced, ZERO_WITHIN, KEEPS_NANS
// Needs: bounds, affine, step_value, from_step_value, SIGN_SHIFT, INFINITY
alias StepValue = vec4<u32>;

// Whether the bits of a NaN count.
const KEEPS_NANS: bool = true;

// No floating-point instruction takes part. A pattern without its sign, inverted where the sign was set, is a number
// whose order is that of the elements: NaNs with the sign, −∞ to −0, +0 to +∞, other NaNs. Numbers wrap around, so
// the elements that a bound replaces, NaNs included or not, are one range of keys. No element is in both.
// Keys of 16 bits and their counts are in the upper half.
struct Bounds {
    below_first: u32, // below_count keys from here on are replaced by min_bits
    below_count: u32,
    above_first: u32, // above_count keys from here on are replaced by max_bits
    above_count: u32,
    min_bits: u32, // 16 bits are in both halves
    max_bits: u32,
}

// Whether no bound replaces a zero or a NaN.
override ZERO_WITHIN: bool = false;

// `kept`, where no bound replaces `x`.
fn replaced(kept: vec4<u32>, x: vec4<u32>) -> vec4<u32> {
    let b = bounds();
    if ZERO_WITHIN {
        // Min replaces numbers with the sign alone, Max those without. Turned round, the greatest patterns are +∞ and
        // what is below it, and as signed numbers those of −∞; NaNs come first in either order. A zero's sign decides
        // nothing.
        let first_nan = (INFINITY + 1u) << SIGN_SHIFT;
        let rest = (1u << SIGN_SHIFT) - 1u;
        let turned = x - vec4<u32>(first_nan);
        let most = ((b.max_bits & 0x7fffffffu) | rest) - first_nan;
        let least = (b.min_bits | 0x80000000u | rest) - first_nan;
        let above = turned > vec4<u32>(most);
        let below = bitcast<vec4<i32>>(turned) > bitcast<vec4<i32>>(vec4<u32>(least));
        return select(select(kept, vec4<u32>(b.max_bits), above), vec4<u32>(b.min_bits), below);
    }
    // All ones where the sign is set.
    let sign = bitcast<vec4<u32>>(bitcast<vec4<i32>>(x) >> vec4<u32>(31u));
    let key = (x & vec4<u32>(0x7fffffffu)) ^ sign;
    let above = key - vec4<u32>(b.above_first) < vec4<u32>(b.above_count);
    let below = key - vec4<u32>(b.below_first) < vec4<u32>(b.below_count);
    return select(select(kept, vec4<u32>(b.max_bits), above), vec4<u32>(b.min_bits), below);
}

// What the affine step makes of elements, in the upper bits.
fn stepped(x: StepValue) -> vec4<u32> {
    return from_step_value(affine(x));
}

fn elements(bits: vec4<u32>) -> vec4<u32> {
    let y = stepped(step_value(bits));
    return replaced(y, y) >> vec4<u32>(SIGN_SHIFT);
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
