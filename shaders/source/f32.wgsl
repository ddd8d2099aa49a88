// F32 as source.
//
// Provides: SOURCE_LANES, widen, single
const SOURCE_LANES: u32 = 1u; // elements per word

// Converts to f32; finite numbers only.
fn widen(bits: vec4<u32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bits);
}

// The bits of the f32.
fn single(bits: vec4<u32>) -> vec4<u32> {
    return bits;
}
