// Joins two quads (four elements, one per word) to a packet of 8 elements.
//
// Provides: of_quads, word_of_quad
fn of_quads(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(a.xz, b.xz) | (vec4<u32>(a.yw, b.yw) << vec4<u32>(16u));
}

// The word of a quad's first two elements.
fn word_of_quad(q: vec4<u32>) -> u32 {
    return q.x | (q.y << 16u);
}
