// No affine step.
//
// Provides: affine
// Needs: StepValue
fn affine(x: StepValue) -> StepValue {
    return x;
}
