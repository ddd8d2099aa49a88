// What modules without an affine step look up for it.
//
// Provides: Coefficients, read_coefficients
alias Coefficients = u32;

fn read_coefficients(channel: u32, first: vec4<u32>) -> Coefficients {
    return 0u;
}
