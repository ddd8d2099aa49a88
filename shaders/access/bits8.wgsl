// Four 8-bit elements to a word, each in the low bits of a u32 while it is worked on.
//
// Provides: ELEMENT_BYTES, LANES, UNIT_BYTES, load_src, store_dst
// Needs: load_shared_src_word, load_shared_dst_word, flip_shared_dst_bits
const ELEMENT_BYTES: u32 = 1u;
const LANES: u32 = 4u;      // elements in a unit
const UNIT_BYTES: u32 = 4u; // a word, or an element where that is larger

fn load_src(i: u32) -> u32 {
    return (load_shared_src_word(i / LANES) >> (i % LANES * 8u)) & 0xffu;
}

// Neighbours in the word belong to other invocations: flip only the bits that change.
fn store_dst(i: u32, bits: u32) {
    let shift = i % LANES * 8u;
    let old = (load_shared_dst_word(i / LANES) >> shift) & 0xffu;
    flip_shared_dst_bits(i / LANES, (old ^ bits) << shift);
}
