// A packet is 16 bytes, here 2 elements. Suits short arithmetic; `elements64_looped.wgsl` suits long arithmetic.
//
// Provides: packet
// Needs: element
fn packet(p: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(element(p.xy), element(p.zw));
}
