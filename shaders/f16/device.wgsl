// Conversions between F16 and f32 by the device's instructions. WGSL allows a device other rounding and other zeros, so
// `probe.wgsl` compares them with `integers.wgsl` beforehand. On some devices wgpu refuses modules that have them.
//
// Provides: widened_by_device, narrowed_by_device

// The bits of the f32s that equal F16s, whose upper halves are zero; finite numbers only.
fn widened_by_device(bits: vec4<u32>) -> vec4<u32> {
    return bitcast<vec4<u32>>(vec4<f32>(
        unpack2x16float(bits.x).x,
        unpack2x16float(bits.y).x,
        unpack2x16float(bits.z).x,
        unpack2x16float(bits.w).x,
    ));
}

// The bits of f32s: 65504, the greatest F16, and 65520, the least number that is rounded to infinity.
const GREATEST_F16: u32 = 0x477fe000u;
const ROUNDED_TO_INFINITY: u32 = 0x477ff000u;

// Rounds an f32 that is no NaN to nearest even, and keeps subnormals; the result lies in the upper bits of the word. The
// device converts no greater magnitude than 65504.
fn narrowed_by_device(bits: vec4<u32>) -> vec4<u32> {
    let size = bits & vec4<u32>(0x7fffffffu);
    let x = bitcast<vec4<f32>>(min(size, vec4<u32>(GREATEST_F16)));
    let rounded = vec4<u32>(
        pack2x16float(vec2<f32>(0.0, x.x)),
        pack2x16float(vec2<f32>(0.0, x.y)),
        pack2x16float(vec2<f32>(0.0, x.z)),
        pack2x16float(vec2<f32>(0.0, x.w)),
    );
    let unsigned = select(rounded, vec4<u32>(0x7c000000u), size >= vec4<u32>(ROUNDED_TO_INFINITY));
    return unsigned | (bits & vec4<u32>(0x80000000u));
}
