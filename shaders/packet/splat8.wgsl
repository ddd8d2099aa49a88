// A packet of one element.
//
// Provides: splat
fn splat(bits: u32) -> vec4<u32> {
    return vec4<u32>(bits * 0x01010101u);
}
