// Four 32-bit elements of src at a time.
//
// Provides: quad
// Needs: Four
//
// The n-th four elements of packets.
fn quad(p: Four, n: u32) -> vec4<u32> {
    if n == 1u {
        return p.b;
    }
    if n == 2u {
        return p.c;
    }
    if n == 3u {
        return p.d;
    }
    return p.a;
}
