// 64-bit elements of src.
//
// Provides: load_src
// Needs: load_src_word
fn load_src(i: u32) -> vec2<u32> {
    return vec2<u32>(load_src_word(i * 2u), load_src_word(i * 2u + 1u));
}
