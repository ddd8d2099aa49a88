// Several elements to a word, each in the low bits of a u32 while it is worked on.
//
// Provides: load_src, store_dst
// Needs: ELEMENT_BYTES, LANES, load_contended_src_word, load_contended_dst_word, flip_contended_dst_bits
const ELEMENT_BITS: u32 = 8u * ELEMENT_BYTES;
const ELEMENT_MASK: u32 = (1u << ELEMENT_BITS) - 1u;

fn load_src(i: u32) -> u32 {
    return (load_contended_src_word(i / LANES) >> (i % LANES * ELEMENT_BITS)) & ELEMENT_MASK;
}

// Neighbours in the word belong to other invocations: flip only the bits that change.
fn store_dst(i: u32, bits: u32) {
    let shift = i % LANES * ELEMENT_BITS;
    let old = (load_contended_dst_word(i / LANES) >> shift) & ELEMENT_MASK;
    flip_contended_dst_bits(i / LANES, (old ^ bits) << shift);
}
