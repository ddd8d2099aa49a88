// A packet is 16 bytes, here 4 elements.
//
// Provides: packet
// Needs: elements
fn packet(p: vec4<u32>) -> vec4<u32> {
    return elements(p);
}
