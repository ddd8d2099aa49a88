// The step's results for NaNs and infinities. Bits decide, because WGSL lets a device assume that neither occurs.
//
// Provides: with_specials, KEEPS_INFINITY
// Needs: numbers, nan_value, nans_replaced, OPERAND_SIGN, OPERAND_SIGN_SHIFT

// Whether every scale is positive, so that ±∞ stays.
override KEEPS_INFINITY: bool = false;

// A step value of magnitude `infinite_from` or more counts as ±∞ and becomes `x ^ infinity_flip`. `infinite_from` is 0
// for a channel that keeps every element. A magnitude of `nan_from` or more gives a NaN. `nan_from` is ∞ if the scale
// is 0, and 0 if scale or bias is NaN or infinite; else it is the least NaN.
fn with_specials(finite: vec4<u32>, x: vec4<u32>) -> vec4<u32> {
    let a = numbers();
    let size = x & vec4<u32>((OPERAND_SIGN - 1u) << OPERAND_SIGN_SHIFT);
    let infinite = size >= vec4<u32>(a.infinite_from);
    if KEEPS_INFINITY {
        // Only steps to integers replace NaNs here.
        return nans_replaced(select(finite, x, infinite));
    }
    let number = select(finite, x ^ vec4<u32>(a.infinity_flip), infinite);
    return select(number, nan_value(x), size >= vec4<u32>(a.nan_from));
}
