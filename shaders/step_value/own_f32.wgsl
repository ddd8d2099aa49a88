// Converts finite elements in the upper bits to f32, and back.
//
// Provides: widen_operand, narrow_operand
// Needs: widen, narrow
fn widen_operand(x: vec4<u32>) -> vec4<f32> {
    return widen(x);
}

fn narrow_operand(x: vec4<f32>) -> vec4<u32> {
    return narrow(bitcast<vec4<u32>>(x));
}
