// Floats of up to 32 bits: the exact value of `x * scale + bias`, rounded once. Computed in integers.
//
// Provides: affine
// Needs: product, sum, packed, with_specials, OPERAND_SIGN_SHIFT
fn affine(x: vec4<u32>) -> vec4<u32> {
    let finite = packed(sum(product(x >> vec4<u32>(OPERAND_SIGN_SHIFT))));
    return with_specials(finite << vec4<u32>(OPERAND_SIGN_SHIFT), x);
}
