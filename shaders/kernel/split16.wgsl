// Packets of pixels of 16-bit components to packets of components, one for each.
//
// Provides: split
// Needs: Four, COMPONENTS, columns_of
fn split(pixels: Four) -> Four {
    let q = columns_of(pixels);
    let low = vec4<u32>(0xffffu);
    let high = vec4<u32>(0xffff0000u);
    let half = vec4<u32>(16u);
    if COMPONENTS == 2u {
        return Four((q.a & low) | (q.b << half), (q.a >> half) | (q.b & high), q.c, q.d);
    }
    if COMPONENTS == 3u {
        return Four((q.a & low) | (q.b & high), (q.a >> half) | (q.c << half), (q.b & low) | (q.c & high), q.d);
    }
    if COMPONENTS == 4u {
        return Four(
            (q.a & low) | (q.c << half),
            (q.a >> half) | (q.c & high),
            (q.b & low) | (q.d << half),
            (q.b >> half) | (q.d & high),
        );
    }
    return q;
}
