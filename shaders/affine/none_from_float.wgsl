// No affine step, from a float to an integer.
//
// Provides: affine
// Needs: nans_replaced
fn affine(x: vec4<u32>) -> vec4<u32> {
    return nans_replaced(x);
}
