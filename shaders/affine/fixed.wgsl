// For 8-bit integers: `(x * factor + addend) >> 16`, exact for every element. The clamp saturates, since both bounds
// are numbers of the destination. `src/arithmetic/fixed.rs` finds the numbers.
//
// Provides: Coefficients, read_coefficients, affine
// Needs: coefficients
struct Coefficients {
    factor: i32,
    addend: i32,
}

fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    return Coefficients(bitcast<i32>(first.z), bitcast<i32>(first.w));
}

fn affine(k: vec4<i32>) -> vec4<i32> {
    let a = coefficients();
    let product = k * vec4<i32>(a.factor) + vec4<i32>(a.addend);
    return product >> vec4<u32>(16u);
}
