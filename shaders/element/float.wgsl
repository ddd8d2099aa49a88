// Floats of up to 32 bits, four at a time. Each lies in the upper bits of a word; the other bits may be anything, so
// the two 16-bit floats of a word need not be split first. The constants of `destination/` describe the format.
//
// Provides: StepValue, element, elements, stepped, replaced, nan_value, nans_replaced, bits_of_bounds, key_of, ONE_KEY, FIRST_NAN
// Needs: bounds, ZERO_WITHIN, affine, step_value, from_step_value, SIGN_SHIFT, INFINITY, OPERAND_SIGN,
//     OPERAND_SIGN_SHIFT, OPERAND_INFINITY, OPERAND_MANTISSA_BITS
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

// Bounds lie in the upper words of `ranges.wgsl`. A 16-bit bound is in both halves of its word, keys and counts of 16-bit floats
// in the upper half.
const ONE_KEY: vec2<u32> = vec2<u32>(0u, 1u << SIGN_SHIFT);
const FIRST_NAN: vec2<u32> = vec2<u32>(0u, (INFINITY + 1u) << SIGN_SHIFT);

fn bits_of_bounds(first: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(0u, first.x, 0u, first.y);
}

fn key_of(bits: vec2<u32>) -> vec2<u32> {
    let sign = bitcast<u32>(bitcast<i32>(bits.y) >> 31u);
    return vec2<u32>(0u, ((bits.y & 0x7fffffffu) ^ sign) & (0u - ONE_KEY.y));
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
        let rest = ONE_KEY.y - 1u;
        let turned = x - vec4<u32>(FIRST_NAN.y);
        let most = ((b.max_bits.y & 0x7fffffffu) | rest) - FIRST_NAN.y;
        let least = (b.min_bits.y | 0x80000000u | rest) - FIRST_NAN.y;
        let above = turned > vec4<u32>(most);
        let below = bitcast<vec4<i32>>(turned) > bitcast<vec4<i32>>(vec4<u32>(least));
        return select(select(kept, vec4<u32>(b.max_bits.y), above), vec4<u32>(b.min_bits.y), below);
    }
    // All ones if the sign is set.
    let sign = bitcast<vec4<u32>>(bitcast<vec4<i32>>(x) >> vec4<u32>(31u));
    let key = (x & vec4<u32>(0x7fffffffu)) ^ sign;
    let above = key - vec4<u32>(b.above_first.y) < vec4<u32>(b.above_count.y);
    let below = key - vec4<u32>(b.below_first.y) < vec4<u32>(b.below_count.y);
    return select(select(kept, vec4<u32>(b.max_bits.y), above), vec4<u32>(b.min_bits.y), below);
}

fn elements(bits: vec4<u32>) -> vec4<u32> {
    let y = stepped(step_value(bits));
    return replaced(y, y) >> vec4<u32>(SIGN_SHIFT);
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
