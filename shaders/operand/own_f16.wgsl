// F16 in the upper bits to f32, and a sum in f32 to such, by hardware, which may flush subnormals: finite numbers. That a
// device rounds to nearest is left to it, as for f32. Bits pass through u16: naga's bitcasts between elements of different
// widths are wrong.
//
// Provides: widen_operand, narrow_operand
// Needs: numbers
fn widen_operand(x: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(bitcast<vec4<f16>>(vec4<u16>(x >> vec4<u32>(16u))));
}

// AMD's compiler joins a sum and its conversion to one instruction, which rounds once in place of twice, unless
// something lies between. No compiler knows that these bits are zero.
fn narrow_operand(x: vec4<f32>) -> vec4<u32> {
    let zero = vec4<u32>(numbers().unchanged_from & 0xffffu);
    let sum = bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) ^ zero);
    return vec4<u32>(bitcast<vec4<u16>>(vec4<f16>(sum))) << vec4<u32>(16u);
}
