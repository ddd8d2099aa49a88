// A packet is 16 bytes, here 8 floats without an affine step. Compares the lower floats of all words, then the upper
// ones.
//
// Provides: packet
// Needs: replaced
fn packet(p: vec4<u32>) -> vec4<u32> {
    let low = replaced(p, p << vec4<u32>(16u));
    let high = replaced(p, p);
    return insertBits(high, low, 0u, 16u);
}
