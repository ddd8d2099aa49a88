// A packet is 16 bytes, here 16 integers without an affine step. They are compared where they lie in their words: with
// zeros in the bits below, unsigned numbers keep their order.
//
// Provides: packet
// Needs: bounds, FLIP
fn field(p: vec4<u32>, shift: u32, lowest: u32, highest: u32) -> vec4<u32> {
    let x = p & vec4<u32>(0xffu << shift);
    return max(vec4<u32>(lowest << shift), min(x, vec4<u32>(highest << shift)));
}

fn packet(p: vec4<u32>) -> vec4<u32> {
    let flip = vec4<u32>(FLIP * 0x01010101u);
    let b = bounds();
    let lowest = bitcast<u32>(b.min) + FLIP;
    let highest = bitcast<u32>(b.max) + FLIP;
    let q = p ^ flip;
    let low = field(q, 0u, lowest, highest) | field(q, 8u, lowest, highest);
    let high = field(q, 16u, lowest, highest) | field(q, 24u, lowest, highest);
    return (low | high) ^ flip;
}
