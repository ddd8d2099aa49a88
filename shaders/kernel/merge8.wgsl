// Packets of 8-bit components, one for each, to packets of pixels. Bytes are named from the low one on.
//
// Provides: merge
// Needs: Four, COMPONENTS, from_columns
fn merge(p: Four) -> Four {
    let b0 = vec4<u32>(0xffu);
    let b1 = vec4<u32>(0xff00u);
    let b2 = vec4<u32>(0xff0000u);
    let b3 = vec4<u32>(0xff000000u);
    let one = vec4<u32>(8u);
    let two = vec4<u32>(16u);
    let three = vec4<u32>(24u);
    var q = p;
    if COMPONENTS == 2u {
        q.a = (p.a & b0) | ((p.b << one) & b1) | ((p.a << one) & b2) | ((p.b << two) & b3);
        q.b = ((p.a >> two) & b0) | ((p.b >> one) & b1) | ((p.a >> one) & b2) | (p.b & b3);
    }
    if COMPONENTS == 3u {
        q.a = (p.a & b0) | ((p.b << one) & b1) | ((p.c << two) & b2) | ((p.a << two) & b3);
        q.b = ((p.b >> one) & b0) | (p.c & b1) | (p.a & b2) | ((p.b << one) & b3);
        q.c = ((p.c >> two) & b0) | ((p.a >> two) & b1) | ((p.b >> one) & b2) | (p.c & b3);
    }
    if COMPONENTS == 4u {
        q.a = (p.a & b0) | ((p.b << one) & b1) | ((p.c << two) & b2) | (p.d << three);
        q.b = ((p.a >> one) & b0) | (p.b & b1) | ((p.c << one) & b2) | ((p.d << two) & b3);
        q.c = ((p.a >> two) & b0) | ((p.b >> one) & b1) | (p.c & b2) | ((p.d << one) & b3);
        q.d = (p.a >> three) | ((p.b >> two) & b1) | ((p.c >> one) & b2) | (p.d & b3);
    }
    return from_columns(q);
}
