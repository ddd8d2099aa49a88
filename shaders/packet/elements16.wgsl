// A packet is 16 bytes, here 8 elements.
//
// Provides: packet
// Needs: elements
fn packet(p: vec4<u32>) -> vec4<u32> {
    let low = elements(p & vec4<u32>(0xffffu));
    let high = elements(p >> vec4<u32>(16u));
    return low | (high << vec4<u32>(16u));
}
