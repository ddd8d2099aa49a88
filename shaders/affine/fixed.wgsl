// For 8-bit integers: `(x * factor + addend) >> shift`, exact for every element. The clamp saturates, since both bounds
// are numbers of the destination. `src/arithmetic/fixed.rs` finds the numbers.
//
// Provides: Affine, affine
// Needs: numbers
struct Affine {
    factor: i32,
    addend: i32,
}

fn affine(k: vec4<i32>) -> vec4<i32> {
    let a = numbers();
    let product = k * vec4<i32>(a.factor) + vec4<i32>(a.addend);
    return product >> vec4<u32>(16u);
}
