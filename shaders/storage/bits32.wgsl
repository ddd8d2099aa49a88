// A 32-bit element is a word.
const ELEMENT_BYTES: u32 = 4u;
const LANES: u32 = 1u;      // elements in a unit
const UNIT_BYTES: u32 = 4u; // a word, or an element where that is larger

// A packet of one element.
fn splat(bits: u32) -> vec4<u32> {
    return vec4<u32>(bits);
}

fn load_src(i: u32) -> u32 {
    return load_src_word(i);
}

fn store_dst(i: u32, bits: u32) {
    store_dst_word(i, bits);
}
