// Converts F16 by the device's instructions.
//
// Provides: widened_f16, narrowed_f16
// Needs: widened_by_device, narrowed_by_device
fn widened_f16(bits: vec4<u32>) -> vec4<u32> {
    return widened_by_device(bits);
}

fn narrowed_f16(bits: vec4<u32>) -> vec4<u32> {
    return narrowed_by_device(bits);
}
