// A 32-bit element is a word.
//
// Provides: ELEMENT_BYTES, LANES, UNIT_BYTES, load_src, store_dst
// Needs: load_src_word, store_dst_word
const ELEMENT_BYTES: u32 = 4u;
const LANES: u32 = 1u;      // elements in a unit
const UNIT_BYTES: u32 = 4u; // a word, or an element where that is larger

fn load_src(i: u32) -> u32 {
    return load_src_word(i);
}

fn store_dst(i: u32, bits: u32) {
    store_dst_word(i, bits);
}
