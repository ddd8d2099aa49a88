// No affine step.
//
// Provides: Affine, affine
// Needs: Operand
struct Affine {
    unused: vec4<u32>,
}

fn affine(x: Operand) -> Operand {
    return x;
}
