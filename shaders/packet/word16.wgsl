// The two elements of a word.
//
// Provides: word
// Needs: elements
fn word(w: u32) -> u32 {
    let y = elements(vec4<u32>(w & 0xffffu, w >> 16u, 0u, 0u));
    return y.x | (y.y << 16u);
}
