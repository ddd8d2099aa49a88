// 32-bit elements of src.
//
// Provides: load_src
// Needs: load_shared_word
fn load_src(i: u32) -> u32 {
    return load_shared_word(i);
}
