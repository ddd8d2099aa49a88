// Packets of elements of one size.
//
// Provides: SRC_PACKETS, DST_PACKETS, converted
// Needs: Four, packet
//
// Packets of src that go to as many packets of dst.
const SRC_PACKETS: u32 = 1u;
const DST_PACKETS: u32 = 1u;

// The n-th packet of dst: the only one.
fn converted(p: Four, n: u32) -> vec4<u32> {
    return packet(p.a);
}
