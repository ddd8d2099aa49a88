// Converts F16 by integer operations.
//
// Provides: widened_f16, narrowed_f16
// Needs: widened_by_integers, narrowed_by_integers
fn widened_f16(bits: vec4<u32>) -> vec4<u32> {
    return widened_by_integers(bits);
}

fn narrowed_f16(bits: vec4<u32>) -> vec4<u32> {
    return narrowed_by_integers(bits);
}
