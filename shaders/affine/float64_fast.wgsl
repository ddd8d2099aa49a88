// F64 in hardware. Needs the features SHADER_F64 and SHADER_INT64: naga's bitcast to f64 takes a u64.
//
// Provides: Coefficients, read_coefficients, affine, KEEPS_INFINITY
// Needs: numbers, coefficients, magnitude, SIGN, INFINITY, MANTISSA_BITS
struct Coefficients {
    scale: f64,
    bias: f64,
    infinity_mask: u32, // the high word of ±∞ becomes (word & infinity_mask) ^ infinity_flip; the low word stays 0
    infinity_flip: u32,
}

fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    let second = numbers(channel, 1u);
    let scale = second.xy;
    let bias = second.zw;
    let is_zero = all(magnitude(scale) == vec2<u32>(0u));
    return Coefficients(
        bitcast<f64>(u64(scale.x) | (u64(scale.y) << 32u)),
        bitcast<f64>(u64(bias.x) | (u64(bias.y) << 32u)),
        select(0xffffffffu, 0u, is_zero),
        select(scale.y & SIGN, INFINITY | (1u << (MANTISSA_BITS - 1u)), is_zero),
    );
}

// Whether every scale is positive, so that ±∞ stays.
override KEEPS_INFINITY: bool = false;

// Bits decide about NaN and ∞, because WGSL lets a device assume that they do not occur.
fn affine(x: vec2<u32>) -> vec2<u32> {
    let a = coefficients();
    let bits = u64(x.x) | (u64(x.y) << 32u);
    let finite = bitcast<u64>(bitcast<f64>(bits) * a.scale + a.bias);
    let size = magnitude(x).y;
    var special = bits;
    if !KEEPS_INFINITY {
        let infinite = (x.y & a.infinity_mask) ^ a.infinity_flip;
        special = select(bits, u64(infinite) << 32u, size == INFINITY && x.x == 0u);
    }
    // One result is taken apart, not each of the two. A driver compiled the comparisons with words of `finite` wrongly.
    let chosen = select(finite, special, size >= INFINITY);
    return vec2<u32>(u32(chosen), u32(chosen >> 32u));
}
