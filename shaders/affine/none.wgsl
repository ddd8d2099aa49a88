// No affine step.
//
// Provides: Affine, affine, ROUNDED_BY_DEVICE
// Needs: Operand
struct Affine {
    unused: vec4<u32>,
}

// Whether the device rounds all results by an addition anyway.
const ROUNDED_BY_DEVICE: bool = false;

fn affine(x: Operand) -> Operand {
    return x;
}
