// The results of a step on integers, with a scale or a bias that lies on the GPU. If one is NaN or infinite, `nan_from`
// is 0 and every result is NaN.
//
// Provides: with_specials
// Needs: numbers, nan_value
fn with_specials(finite: vec4<u32>, x: vec4<u32>) -> vec4<u32> {
    return select(finite, nan_value(vec4<u32>(0u)), vec4<bool>(numbers().nan_from == 0u));
}
