// Splits a word into its four elements, and joins them.
//
// Provides: lanes_of, word_of
fn lanes_of(w: u32) -> vec4<u32> {
    return (vec4<u32>(w) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu);
}

fn word_of(y: vec4<u32>) -> u32 {
    return y.x | (y.y << 8u) | (y.z << 16u) | (y.w << 24u);
}
