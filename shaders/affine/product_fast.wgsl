// The product of a dequantised integer and the scale, by f32 arithmetic of the device.
//
// Provides: Coefficients, read_coefficients, affine
// Needs: number, coefficients
struct Coefficients {
    scale: f32,
    zero_point: i32,
}

fn read_coefficients(channel: u32) -> Coefficients {
    return Coefficients(bitcast<f32>(number(channel, 2u)), bitcast<i32>(number(channel, 3u)));
}

fn affine(x: vec4<u32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(bitcast<vec4<f32>>(x) * vec4<f32>(coefficients().scale));
}
