// 8-bit elements of src, loaded into the low bits of a u32.
//
// Provides: load_src
// Needs: load_shared_word
fn load_src(i: u32) -> u32 {
    return (load_shared_word(i / 4u) >> (i % 4u * 8u)) & 0xffu;
}
