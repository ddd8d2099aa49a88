// Packets of dst of 8 elements, from src of another size.
//
// Provides: SRC_PACKETS, DST_PACKETS, converted
// Needs: Four, SRC_BYTES, quad, elements
//
// Packets of src that go to as many packets of dst.
const SRC_PACKETS: u32 = max(1u, SRC_BYTES / 2u);
const DST_PACKETS: u32 = max(1u, 2u / SRC_BYTES);

// The n-th packet of dst.
fn converted(p: Four, n: u32) -> vec4<u32> {
    let y = elements(quad(p, 2u * n));
    let z = elements(quad(p, 2u * n + 1u));
    return vec4<u32>(y.xz, z.xz) | (vec4<u32>(y.yw, z.yw) << vec4<u32>(16u));
}
