// No affine step.
//
// Provides: Coefficients, read_coefficients, affine
// Needs: StepValue
alias Coefficients = u32;

fn read_coefficients(channel: u32) -> Coefficients {
    return 0u;
}

fn affine(x: StepValue) -> StepValue {
    return x;
}
