// The product of a dequantised integer and the scale, rounded to an f32. Computed in integers.
//
// Provides: Affine, affine
// Needs: product, packed
struct Affine {
    scale: u32,          // significand of |scale|, its top bit at bit 23, or 0
    scale_exponent: i32, // exponent of that bit
    scale_sign: u32,     // the sign bit, or 0
    zero_point: i32,
}

fn affine(x: vec4<u32>) -> vec4<u32> {
    return packed(product(x));
}
