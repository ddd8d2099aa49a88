// Up to four packets, and their words by column: those that lie as many words apart as there are packets.
//
// Provides: Four, COMPONENTS, columns_of, from_columns
//
// Packets in order, or what is made of them.
struct Four {
    a: vec4<u32>,
    b: vec4<u32>,
    c: vec4<u32>,
    d: vec4<u32>,
}

// From the start of a pixel to the next, in elements: 1 to 4. As many packets are taken apart or put together at once.
override COMPONENTS: u32 = 3u;

// Word i of all goes to column i % COMPONENTS.
fn columns_of(p: Four) -> Four {
    if COMPONENTS == 2u {
        return Four(vec4<u32>(p.a.xz, p.b.xz), vec4<u32>(p.a.yw, p.b.yw), p.c, p.d);
    }
    if COMPONENTS == 3u {
        let x = vec4<u32>(p.a.xw, p.b.z, p.c.y);
        let y = vec4<u32>(p.a.y, p.b.xw, p.c.z);
        let z = vec4<u32>(p.a.z, p.b.y, p.c.xw);
        return Four(x, y, z, p.d);
    }
    if COMPONENTS == 4u {
        let x = vec4<u32>(p.a.x, p.b.x, p.c.x, p.d.x);
        let y = vec4<u32>(p.a.y, p.b.y, p.c.y, p.d.y);
        let z = vec4<u32>(p.a.z, p.b.z, p.c.z, p.d.z);
        let w = vec4<u32>(p.a.w, p.b.w, p.c.w, p.d.w);
        return Four(x, y, z, w);
    }
    return p;
}

fn from_columns(q: Four) -> Four {
    if COMPONENTS == 2u {
        return Four(
            vec4<u32>(q.a.x, q.b.x, q.a.y, q.b.y),
            vec4<u32>(q.a.z, q.b.z, q.a.w, q.b.w),
            q.c,
            q.d,
        );
    }
    if COMPONENTS == 3u {
        return Four(
            vec4<u32>(q.a.x, q.b.x, q.c.x, q.a.y),
            vec4<u32>(q.b.y, q.c.y, q.a.z, q.b.z),
            vec4<u32>(q.c.z, q.a.w, q.b.w, q.c.w),
            q.d,
        );
    }
    // Rows and columns of a square are the same but for their names.
    return columns_of(q);
}
