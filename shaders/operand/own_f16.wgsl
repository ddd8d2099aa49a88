// F16 in the upper bits to f32, and a sum in f32 to such, by hardware, which may flush subnormals: finite numbers. Bits
// pass through u16: naga's bitcasts between elements of different widths are wrong.
//
// Provides: widen_operand, narrow_operand
fn widen_operand(x: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(bitcast<vec4<f16>>(vec4<u16>(x >> vec4<u32>(16u))));
}

fn narrow_operand(x: vec4<f32>) -> vec4<u32> {
    return vec4<u32>(bitcast<vec4<u16>>(vec4<f16>(x))) << vec4<u32>(16u);
}
