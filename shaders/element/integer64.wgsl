// 64-bit integers, computed as keys. A key is a two's complement number, the low word first; keys have the order of the
// elements. `key` comes from `source/`, `from_key` from `destination/`.
//
// Provides: StepValue, Bounds, element
// Needs: bounds, affine, key, from_key, less
alias StepValue = vec2<u32>;

struct Bounds {
    min: vec2<u32>, // keys; an absent bound is the lowest or the highest
    max: vec2<u32>,
}

fn element(bits: vec2<u32>) -> vec2<u32> {
    let b = bounds();
    var x = affine(key(bits));
    x = select(x, b.max, less(b.max, x));
    x = select(x, b.min, less(x, b.min));
    return from_key(x);
}
