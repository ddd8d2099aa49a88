// A packet is 16 bytes, here 8 floats without an affine step. The two floats of a word are compared one after the
// other.
//
// Provides: packet
// Needs: replaced
fn packet(p: vec4<u32>) -> vec4<u32> {
    let low = replaced(p, p << vec4<u32>(16u));
    let high = replaced(p, p);
    return insertBits(high, low, 0u, 16u);
}
