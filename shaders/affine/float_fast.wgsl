// Floats of up to 32 bits, by f32 arithmetic of the device.
//
// Provides: Affine, affine, KEEPS_INFINITY
// Needs: numbers, HAS_SPECIALS, MAKES_NANS, KEEPS_NANS, OPERAND_SIGN, OPERAND_SIGN_SHIFT,
//     OPERAND_INFINITY, widen_operand, narrow_operand
//
// An element of magnitude `infinite_from` or more counts as ±∞ and becomes `(bits & infinity_mask) ^ infinity_flip`.
// `infinite_from` is 0 if scale or bias is NaN or infinite, and if the channel has no step and keeps every element.
// Integers have no ∞: if scale or bias is NaN or infinite, `infinity_flip` makes their results NaN; else it is 0.
struct Affine {
    scale: f32,
    bias: f32,
    infinity_mask: u32,
    infinity_flip: u32,
    infinite_from: u32,
}

// Whether every scale is positive, so that ±∞ stays.
override KEEPS_INFINITY: bool = false;

// Bits decide about NaN and ∞, because WGSL lets a device assume that they do not occur.
fn affine(x: vec4<u32>) -> vec4<u32> {
    let a = numbers();
    let finite = narrow_operand(widen_operand(x) * vec4<f32>(a.scale) + vec4<f32>(a.bias));
    if MAKES_NANS {
        return finite | vec4<u32>(a.infinity_flip);
    }
    if !HAS_SPECIALS {
        return finite;
    }
    let size = x & vec4<u32>((OPERAND_SIGN - 1u) << OPERAND_SIGN_SHIFT);
    let special = size >= vec4<u32>(a.infinite_from);
    if KEEPS_INFINITY {
        return select(finite, x, special);
    }
    let stepped = select(finite, (x & vec4<u32>(a.infinity_mask)) ^ vec4<u32>(a.infinity_flip), special);
    if !KEEPS_NANS {
        return stepped;
    }
    return select(stepped, x, size > vec4<u32>(OPERAND_INFINITY << OPERAND_SIGN_SHIFT));
}
