// A 64-bit element is two words, the low one first.
//
// Provides: ELEMENT_BYTES, LANES, UNIT_BYTES, load_src, store_dst
// Needs: load_src_word, store_dst_word
const ELEMENT_BYTES: u32 = 8u;
const LANES: u32 = 1u;      // elements in a unit
const UNIT_BYTES: u32 = 8u; // a word, or an element where that is larger

fn load_src(i: u32) -> vec2<u32> {
    return vec2<u32>(load_src_word(i * 2u), load_src_word(i * 2u + 1u));
}

fn store_dst(i: u32, bits: vec2<u32>) {
    store_dst_word(i * 2u, bits.x);
    store_dst_word(i * 2u + 1u, bits.y);
}
