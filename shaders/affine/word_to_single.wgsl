// From a 32-bit integer to the bits of an f32: the exact real number, rounded once; NaN if scale or bias on the GPU is NaN
// or infinite.
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
