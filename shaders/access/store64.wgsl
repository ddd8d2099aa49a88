// 64-bit elements of dst.
//
// Provides: store_dst
// Needs: store_dst_word
fn store_dst(i: u32, bits: vec2<u32>) {
    store_dst_word(i * 2u, bits.x);
    store_dst_word(i * 2u + 1u, bits.y);
}
