// Loads of source words for a destination with several elements per word. If src and dst share a buffer, other
// invocations may change bits of these words.
//
// Provides: load_shared_word
// Needs: load_contended_src_word
fn load_shared_word(i: u32) -> u32 {
    return load_contended_src_word(i);
}
