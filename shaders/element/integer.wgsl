// Integers of up to 32 bits. They are worked on as keys: i32 numbers in the order of the elements (`key` and
// `from_key` of the dtype).
alias Operand = i32;

struct Bounds {
    min: i32, // keys; an absent bound is the lowest or the highest
    max: i32,
}

fn element(bits: u32) -> u32 {
    let x = affine(key(bits));
    return from_key(max(params.bounds.min, min(x, params.bounds.max)));
}
