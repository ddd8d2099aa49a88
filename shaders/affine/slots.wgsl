// The results of a step on integers, with a scale or a bias that lies on the GPU.
//
// Provides: Specials, specials_of, has_no_number, with_specials
// Needs: coefficients, nan_value

// Whether every result is NaN.
alias Specials = bool;

// Whether scale or bias is NaN or infinite.
fn has_no_number(scale: u32, bias: u32) -> bool {
    return max(scale & 0x7fffffffu, bias & 0x7fffffffu) >= 0x7f800000u;
}

fn specials_of(scale: u32, bias: u32) -> Specials {
    return has_no_number(scale, bias);
}

fn with_specials(finite: vec4<u32>, x: vec4<u32>) -> vec4<u32> {
    return select(finite, nan_value(vec4<u32>(0u)), vec4<bool>(coefficients().specials));
}
