// The product of a dequantised integer and the scale, by f32 arithmetic of the device.
//
// Provides: Affine, affine
// Needs: numbers
struct Affine {
    scale: f32,
    zero_point: i32,
}

fn affine(x: vec4<u32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(bitcast<vec4<f32>>(x) * vec4<f32>(numbers().scale));
}
