// Four 16-bit elements of src at a time.
//
// Provides: quad
// Needs: Four
//
// The n-th four elements of packets.
fn quad(p: Four, n: u32) -> vec4<u32> {
    var w = p.a.xy;
    if n == 1u {
        w = p.a.zw;
    }
    if n == 2u {
        w = p.b.xy;
    }
    if n == 3u {
        w = p.b.zw;
    }
    return (w.xxyy >> vec4<u32>(0u, 16u, 0u, 16u)) & vec4<u32>(0xffffu);
}
