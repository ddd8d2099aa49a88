// Elements of dst, several per word.
//
// Provides: store_dst
// Needs: DST_BYTES, LANES, load_contended_dst_word, flip_contended_dst_bits
//
// Other invocations store the word's other elements: flip only the bits that change.
fn store_dst(i: u32, bits: u32) {
    let element_bits = 8u * DST_BYTES;
    let shift = i % LANES * element_bits;
    let old = (load_contended_dst_word(i / LANES) >> shift) & ((1u << element_bits) - 1u);
    flip_contended_dst_bits(i / LANES, (old ^ bits) << shift);
}
