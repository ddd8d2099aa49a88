// F32 as source.
//
// Provides: widen, single
//
// To f32, for finite numbers.
fn widen(bits: vec4<u32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bits);
}

// The bits of an f32, for all.
fn single(bits: vec4<u32>) -> vec4<u32> {
    return bits;
}
