// 64-bit integers, the low word first. They are worked on as keys: two's complement numbers in the order of
// the elements (`key` and `from_key` of the dtype).
//
// Provides: Operand, Bounds, element
// Needs: params, affine, key, from_key, less
alias Operand = vec2<u32>;

struct Bounds {
    min: vec2<u32>, // keys; an absent bound is the lowest or the highest
    max: vec2<u32>,
}

fn element(bits: vec2<u32>) -> vec2<u32> {
    var x = affine(key(bits));
    x = select(x, params.bounds.max, less(params.bounds.max, x));
    x = select(x, params.bounds.min, less(x, params.bounds.min));
    return from_key(x);
}
