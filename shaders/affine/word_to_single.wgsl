// From an integer of 32 bits to the bits of an f32: the exact real number, rounded once; a NaN where the step has a NaN or
// an infinity.
//
// Provides: affine
// Needs: numbers, product, sum, packed, MAKES_NANS
fn affine(bits: vec4<u32>) -> vec4<u32> {
    let finite = packed(sum(product(bits)));
    if MAKES_NANS {
        return finite | vec4<u32>(numbers().infinity_flip);
    }
    return finite;
}
