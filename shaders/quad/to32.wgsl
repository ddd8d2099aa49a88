// Packets of dst of 4 elements, from src of a smaller size.
//
// Provides: SRC_PACKETS, DST_PACKETS, converted
// Needs: Four, SRC_BYTES, quad, elements
//
// Packets of src that go to as many packets of dst.
const SRC_PACKETS: u32 = 1u;
const DST_PACKETS: u32 = 4u / SRC_BYTES;

// The n-th packet of dst.
fn converted(p: Four, n: u32) -> vec4<u32> {
    return elements(quad(p, n));
}
