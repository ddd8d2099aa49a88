// The four elements of a word.
//
// Provides: word
// Needs: elements
fn word(w: u32) -> u32 {
    let y = elements((vec4<u32>(w) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu));
    return y.x | (y.y << 8u) | (y.z << 16u) | (y.w << 24u);
}
