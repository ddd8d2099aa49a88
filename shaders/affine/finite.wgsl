// The results of a step that the host knows, for integers: all are numbers.
//
// Provides: with_specials
fn with_specials(finite: vec4<u32>, x: vec4<u32>) -> vec4<u32> {
    return finite;
}
