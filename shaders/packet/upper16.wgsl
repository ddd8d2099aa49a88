// A packet is 16 bytes, here 8 floats with an affine step, each worked on in the upper half of a word.
//
// Provides: packet
// Needs: upper_elements
fn packet(p: vec4<u32>) -> vec4<u32> {
    let low = upper_elements(p << vec4<u32>(16u));
    let high = upper_elements(p);
    return insertBits(high, low >> vec4<u32>(16u), 0u, 16u);
}
