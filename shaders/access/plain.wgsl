// Loads of source words where destination elements are whole words: no invocation stores to a word that another one
// loads.
//
// Provides: load_shared_word
// Needs: load_src_word
fn load_shared_word(i: u32) -> u32 {
    return load_src_word(i);
}
