// A packet is 16 bytes, here 16 elements.
//
// Provides: packet
// Needs: elements
fn packet(p: vec4<u32>) -> vec4<u32> {
    let mask = vec4<u32>(0xffu);
    let a = elements(p & mask);
    let b = elements((p >> vec4<u32>(8u)) & mask);
    let c = elements((p >> vec4<u32>(16u)) & mask);
    let d = elements(p >> vec4<u32>(24u));
    return a | (b << vec4<u32>(8u)) | (c << vec4<u32>(16u)) | (d << vec4<u32>(24u));
}
