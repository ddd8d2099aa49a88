// Four 8-bit elements of src at a time.
//
// Provides: quad
// Needs: Four
//
// The n-th four elements of packets.
fn quad(p: Four, n: u32) -> vec4<u32> {
    return (vec4<u32>(p.a[n & 3u]) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu);
}
