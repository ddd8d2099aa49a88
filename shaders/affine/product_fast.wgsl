// The product of a dequantised integer and the scale, by f32 arithmetic of the device.
//
// Provides: Coefficients, read_coefficients, affine
// Needs: coefficients
struct Coefficients {
    scale: f32,
    zero_point: i32,
}

fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    return Coefficients(bitcast<f32>(first.z), bitcast<i32>(first.w));
}

fn affine(x: vec4<u32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(bitcast<vec4<f32>>(x) * vec4<f32>(coefficients().scale));
}
