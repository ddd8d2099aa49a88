// Words of src for a dst whose elements are whole words: none of these is one of src.
//
// Provides: load_shared_word
// Needs: load_src_word
fn load_shared_word(i: u32) -> u32 {
    return load_src_word(i);
}
