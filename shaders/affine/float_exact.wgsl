// Floats of up to 32 bits: the exact real number, rounded once, in integers.
//
// Provides: affine
// Needs: numbers, product, sum, packed, KEEPS_NANS, OPERAND_SIGN, OPERAND_SIGN_SHIFT, OPERAND_INFINITY
fn affine(bits: vec4<u32>) -> vec4<u32> {
    let a = numbers();
    let x = bits >> vec4<u32>(OPERAND_SIGN_SHIFT);
    let size = x & vec4<u32>(OPERAND_SIGN - 1u);
    let finite = packed(sum(product(x)));
    let infinite = (x & vec4<u32>(a.infinity_mask)) ^ vec4<u32>(a.infinity_flip);
    let stepped = select(finite, infinite, size >= vec4<u32>(a.infinite_from));
    if !KEEPS_NANS {
        return stepped << vec4<u32>(OPERAND_SIGN_SHIFT);
    }
    return select(stepped, x, size > vec4<u32>(OPERAND_INFINITY)) << vec4<u32>(OPERAND_SIGN_SHIFT);
}
