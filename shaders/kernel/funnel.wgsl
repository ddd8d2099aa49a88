// Packets that lie across two neighbours, or do not.
//
// Provides: SHIFTED, funnel
// Needs: DST_BYTES, across
//
// Whether src and dst may lie at different distances from a packet.
override SHIFTED: bool = true;

fn funnel(shift: u32, a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    if !SHIFTED {
        return a;
    }
    return across(shift, DST_BYTES, a, b);
}
