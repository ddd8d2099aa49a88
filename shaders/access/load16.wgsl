// 16-bit elements of src, loaded into the low bits of a u32.
//
// Provides: load_src
// Needs: load_shared_word
fn load_src(i: u32) -> u32 {
    return (load_shared_word(i / 2u) >> (i % 2u * 16u)) & 0xffffu;
}
