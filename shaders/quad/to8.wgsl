// Packets of dst of 16 elements, from src of a larger size.
//
// Provides: SRC_PACKETS, DST_PACKETS, converted
// Needs: Four, SRC_BYTES, quad, elements
//
// Packets of src that go to as many packets of dst.
const SRC_PACKETS: u32 = SRC_BYTES;
const DST_PACKETS: u32 = 1u;

fn word(x: vec4<u32>) -> u32 {
    let y = elements(x);
    return y.x | (y.y << 8u) | (y.z << 16u) | (y.w << 24u);
}

// The n-th packet of dst.
fn converted(p: Four, n: u32) -> vec4<u32> {
    return vec4<u32>(word(quad(p, 0u)), word(quad(p, 1u)), word(quad(p, 2u)), word(quad(p, 3u)));
}
