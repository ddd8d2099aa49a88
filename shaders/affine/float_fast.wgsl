// Floats of up to 32 bits, by f32 arithmetic of the device.
//
// Provides: Affine, affine
// Needs: numbers, with_specials, widen_operand, narrow_operand
struct Affine {
    scale: f32,
    bias: f32,
    infinity_flip: u32, // `affine/specials.wgsl` and `affine/found.wgsl` describe these three
    infinite_from: u32,
    nan_from: u32,
}

fn affine(x: vec4<u32>) -> vec4<u32> {
    let a = numbers();
    let finite = widen_operand(x) * vec4<f32>(a.scale) + vec4<f32>(a.bias);
    return with_specials(narrow_operand(finite), x);
}
