// 32-bit elements of dst.
//
// Provides: store_dst
// Needs: store_dst_word
fn store_dst(i: u32, bits: u32) {
    store_dst_word(i, bits);
}
