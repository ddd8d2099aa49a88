// Packets of pixels of 8-bit components to packets of components, one for each. Bytes are named from the low one on.
//
// Provides: split
// Needs: Four, COMPONENTS, columns_of
fn split(pixels: Four) -> Four {
    let q = columns_of(pixels);
    let b0 = vec4<u32>(0xffu);
    let b1 = vec4<u32>(0xff00u);
    let b2 = vec4<u32>(0xff0000u);
    let b3 = vec4<u32>(0xff000000u);
    let one = vec4<u32>(8u);
    let two = vec4<u32>(16u);
    let three = vec4<u32>(24u);
    if COMPONENTS == 2u {
        return Four(
            (q.a & b0) | ((q.a >> one) & b1) | ((q.b << two) & b2) | ((q.b << one) & b3),
            ((q.a >> one) & b0) | ((q.a >> two) & b1) | ((q.b << one) & b2) | (q.b & b3),
            q.c,
            q.d,
        );
    }
    if COMPONENTS == 3u {
        return Four(
            (q.a & b0) | ((q.a >> two) & b1) | (q.b & b2) | ((q.c << two) & b3),
            ((q.a >> one) & b0) | ((q.b << one) & b1) | ((q.b >> one) & b2) | ((q.c << one) & b3),
            ((q.a >> two) & b0) | (q.b & b1) | ((q.c << two) & b2) | (q.c & b3),
            q.d,
        );
    }
    if COMPONENTS == 4u {
        return Four(
            (q.a & b0) | ((q.b << one) & b1) | ((q.c << two) & b2) | (q.d << three),
            ((q.a >> one) & b0) | (q.b & b1) | ((q.c << one) & b2) | ((q.d << two) & b3),
            ((q.a >> two) & b0) | ((q.b >> one) & b1) | (q.c & b2) | ((q.d << one) & b3),
            (q.a >> three) | ((q.b >> two) & b1) | ((q.c >> one) & b2) | (q.d & b3),
        );
    }
    return q;
}
