// Floats of up to 32 bits, by f32 arithmetic of the device.
//
// Provides: Coefficients, read_coefficients, affine
// Needs: coefficients, Specials, specials_of, has_no_number, with_specials, widen_operand, narrow_operand
struct Coefficients {
    scale: f32,
    bias: f32,
    specials: Specials,
}

// Bits decide before any is an f32: a device may assume that no float is a NaN.
fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    let scale = first.z;
    let bias = first.w;
    let finite = select(vec2<u32>(scale, bias), vec2<u32>(0u), has_no_number(scale, bias));
    return Coefficients(bitcast<f32>(finite.x), bitcast<f32>(finite.y), specials_of(scale, bias));
}

fn affine(x: vec4<u32>) -> vec4<u32> {
    let a = coefficients();
    let finite = widen_operand(x) * vec4<f32>(a.scale) + vec4<f32>(a.bias);
    return with_specials(narrow_operand(finite), x);
}
