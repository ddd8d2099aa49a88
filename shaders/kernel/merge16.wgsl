// Packets of 16-bit components, one for each, to packets of pixels.
//
// Provides: merge
// Needs: Four, COMPONENTS, from_columns
fn merge(p: Four) -> Four {
    let low = vec4<u32>(0xffffu);
    let high = vec4<u32>(0xffff0000u);
    let half = vec4<u32>(16u);
    var q = p;
    if COMPONENTS == 2u {
        q.a = (p.a & low) | (p.b << half);
        q.b = (p.a >> half) | (p.b & high);
    }
    if COMPONENTS == 3u {
        q.a = (p.a & low) | (p.b << half);
        q.b = (p.c & low) | (p.a & high);
        q.c = (p.b >> half) | (p.c & high);
    }
    if COMPONENTS == 4u {
        q.a = (p.a & low) | (p.b << half);
        q.b = (p.c & low) | (p.d << half);
        q.c = (p.a >> half) | (p.b & high);
        q.d = (p.c >> half) | (p.d & high);
    }
    return from_columns(q);
}
