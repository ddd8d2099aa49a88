// The bounds of integers of up to 32 bits, as keys: i32s in the order of the elements.
//
// Provides: Bounds, read_bounds, nan_counts_as
// Needs: params, KEY_BASE, MAX_WINS, NAN_TO_MIN, NAN_TO_MAX
struct Bounds {
    min: i32,
    max: i32,
}

// Max is applied first, so Min wins; if Max wins, Min must not exceed it.
fn read_bounds(first: vec4<u32>) -> Bounds {
    let low = bitcast<i32>(first.x ^ KEY_BASE);
    let high = bitcast<i32>(first.y ^ KEY_BASE);
    return Bounds(min(low, select(0x7fffffff, high, (params.rules & MAX_WINS) != 0u)), high);
}

// What a NaN counts as: 0, or one of the arguments.
fn nan_counts_as(lowest: u32, highest: u32) -> u32 {
    let other = select(0u, lowest, (params.rules & NAN_TO_MIN) != 0u);
    return select(other, highest, (params.rules & NAN_TO_MAX) != 0u);
}
