// The bounds of integers of up to 32 bits.
//
// Provides: bound_keys, nan_counts_as
// Needs: params, number, KEY_BASE, MAX_WINS, NAN_TO_MIN, NAN_TO_MAX

// The keys of Min and Max. Max is applied first, so Min wins; if Max wins, Min must not exceed it.
fn bound_keys(channel: u32) -> vec2<i32> {
    let low = bitcast<i32>(number(channel, 0u) ^ KEY_BASE);
    let high = bitcast<i32>(number(channel, 1u) ^ KEY_BASE);
    return vec2<i32>(min(low, select(0x7fffffff, high, (params.rules & MAX_WINS) != 0u)), high);
}

// What a NaN counts as: 0, or one of the arguments.
fn nan_counts_as(lowest: u32, highest: u32) -> u32 {
    let other = select(0u, lowest, (params.rules & NAN_TO_MIN) != 0u);
    return select(other, highest, (params.rules & NAN_TO_MAX) != 0u);
}
