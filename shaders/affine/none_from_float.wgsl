// No affine step, from a float to an integer.
//
// Provides: Affine, affine
// Needs: nans_replaced
struct Affine {
    unused: vec4<u32>,
}

fn affine(x: vec4<u32>) -> vec4<u32> {
    return nans_replaced(x);
}
