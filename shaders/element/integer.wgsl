// Integers of up to 32 bits, four at a time, computed as keys. A key is an i32; keys have the order of the elements.
// `key` comes from `source/`, `from_key` from `destination/`.
//
// Provides: StepValue, Bounds, read_bounds, element, elements
// Needs: bound_keys, bounds, affine, key, from_key
alias StepValue = vec4<i32>;

struct Bounds {
    min: i32, // keys
    max: i32,
}

fn read_bounds(channel: u32) -> Bounds {
    let keys = bound_keys(channel);
    return Bounds(keys.x, keys.y);
}

fn elements(bits: vec4<u32>) -> vec4<u32> {
    let b = bounds();
    let x = affine(key(bits));
    return from_key(max(vec4<i32>(b.min), min(x, vec4<i32>(b.max))));
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
