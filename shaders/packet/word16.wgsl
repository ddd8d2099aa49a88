// Splits a word into its two elements, and joins them.
//
// Provides: lanes_of, word_of
fn lanes_of(w: u32) -> vec4<u32> {
    return vec4<u32>(w & 0xffffu, w >> 16u, 0u, 0u);
}

fn word_of(y: vec4<u32>) -> u32 {
    return y.x | (y.y << 16u);
}
