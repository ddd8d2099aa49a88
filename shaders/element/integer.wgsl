// Integers of up to 32 bits, four at a time, computed as keys. `key` comes from `source/`, `from_key` from `destination/`.
//
// Provides: StepValue, element, elements
// Needs: bounds, affine, key, from_key
alias StepValue = vec4<i32>;

fn elements(bits: vec4<u32>) -> vec4<u32> {
    let b = bounds();
    return from_key(max(vec4<i32>(b.min), min(affine(key(bits)), vec4<i32>(b.max))));
}

fn element(bits: u32) -> u32 {
    return elements(vec4<u32>(bits)).x;
}
