// 64-bit integers, computed as keys. A key is a two's complement number, the low word first; keys have the order of the
// elements. `key` comes from `source/`, `from_key` from `destination/`.
//
// Provides: StepValue, Bounds, read_bounds, element
// Needs: params, KEY_BASE, MAX_WINS, bounds, affine, key, from_key, less
alias StepValue = vec2<u32>;

struct Bounds {
    min: vec2<u32>, // keys
    max: vec2<u32>,
}

// As `read_bounds` of `keys.wgsl`.
fn read_bounds(first: vec4<u32>) -> Bounds {
    let low = vec2<u32>(first.x, first.y ^ KEY_BASE);
    let high = vec2<u32>(first.z, first.w ^ KEY_BASE);
    let max_wins = (params.rules & MAX_WINS) != 0u;
    return Bounds(select(low, high, max_wins && less(high, low)), high);
}

fn element(bits: vec2<u32>) -> vec2<u32> {
    let b = bounds();
    var x = affine(key(bits));
    x = select(x, b.max, less(b.max, x));
    x = select(x, b.min, less(x, b.min));
    return from_key(x);
}
