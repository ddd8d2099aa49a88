// Joins four quads (four elements, one per word) to a packet of 16 elements.
//
// Provides: of_quads, word_of_quad
fn word_of_quad(q: vec4<u32>) -> u32 {
    return q.x | (q.y << 8u) | (q.z << 16u) | (q.w << 24u);
}

fn of_quads(a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(word_of_quad(a), word_of_quad(b), word_of_quad(c), word_of_quad(d));
}
