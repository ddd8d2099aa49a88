// A packet of one element.
//
// Provides: splat
fn splat(bits: vec2<u32>) -> vec4<u32> {
    return bits.xyxy;
}
