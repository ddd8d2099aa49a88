// From a 32-bit integer to the bits of an f32: the exact value of `x * scale + bias`, rounded once.
//
// Provides: affine
// Needs: product, sum, packed, with_specials
fn affine(bits: vec4<u32>) -> vec4<u32> {
    return with_specials(packed(sum(product(bits))), bits);
}
