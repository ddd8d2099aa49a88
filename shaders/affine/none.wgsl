// No affine step.
//
// Provides: Affine, affine
// Needs: StepValue
struct Affine {
    unused: vec4<u32>,
}

fn affine(x: StepValue) -> StepValue {
    return x;
}
