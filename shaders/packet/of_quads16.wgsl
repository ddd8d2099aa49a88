// Joins two quads (four elements, one per word) to a packet of 8 elements.
//
// Provides: of_quads
fn of_quads(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(a.xz, b.xz) | (vec4<u32>(a.yw, b.yw) << vec4<u32>(16u));
}
