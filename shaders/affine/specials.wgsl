// The step's results for NaNs and infinities. Bits decide, because WGSL lets a device assume that neither occurs.
//
// Provides: Specials, specials_of, has_no_number, with_specials, KEEPS_INFINITY
// Needs: coefficients, nan_value, nans_replaced, OPERAND_SIGN, OPERAND_SIGN_SHIFT, OPERAND_INFINITY

// Whether every channel has a step whose scale and bias the host knows, the scale positive, so that ±∞ stays.
override KEEPS_INFINITY: bool = false;

// A step value of magnitude `infinite_from` or more counts as ±∞ and becomes `x ^ infinity_flip`. A magnitude of
// `nan_from` or more gives a NaN.
struct Specials {
    infinity_flip: u32,
    infinite_from: u32,
    nan_from: u32,
}

// Whether scale or bias is NaN or infinite.
fn has_no_number(scale: u32, bias: u32) -> bool {
    return !KEEPS_INFINITY && max(scale & 0x7fffffffu, bias & 0x7fffffffu) >= 0x7f800000u;
}

fn specials_of(scale: u32, bias: u32) -> Specials {
    let infinity = OPERAND_INFINITY << OPERAND_SIGN_SHIFT;
    if KEEPS_INFINITY {
        return Specials(0u, infinity, 0u);
    }
    // A channel without a step has the identity, which keeps every element: each counts as ±∞.
    let is_identity = scale == 0x3f800000u && (bias & 0x7fffffffu) == 0u;
    let infinite_from = select(infinity, 0u, is_identity);
    // NaN are the products of 0 and ∞, and all results if there is no number.
    let of_infinity = (scale & 0x7fffffffu) == 0u;
    let nan_from = infinity + select(1u << OPERAND_SIGN_SHIFT, 0u, of_infinity);
    return Specials(scale & 0x80000000u, infinite_from, select(nan_from, 0u, has_no_number(scale, bias)));
}

fn with_specials(finite: vec4<u32>, x: vec4<u32>) -> vec4<u32> {
    let s = coefficients().specials;
    let size = x & vec4<u32>((OPERAND_SIGN - 1u) << OPERAND_SIGN_SHIFT);
    let infinite = size >= vec4<u32>(s.infinite_from);
    if KEEPS_INFINITY {
        // Only steps to integers replace NaNs here.
        return nans_replaced(select(finite, x, infinite));
    }
    let number = select(finite, x ^ vec4<u32>(s.infinity_flip), infinite);
    return select(number, nan_value(x), size >= vec4<u32>(s.nan_from));
}
