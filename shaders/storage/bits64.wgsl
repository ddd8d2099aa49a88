// A 64-bit element is two words, the low one first.
const ELEMENT_BYTES: u32 = 8u;
const LANES: u32 = 1u;      // elements in a unit
const UNIT_BYTES: u32 = 8u; // a word, or an element where that is larger

// A packet of one element.
fn splat(bits: vec2<u32>) -> vec4<u32> {
    return bits.xyxy;
}

fn load_src(i: u32) -> vec2<u32> {
    return vec2<u32>(load_src_word(i * 2u), load_src_word(i * 2u + 1u));
}

fn store_dst(i: u32, bits: vec2<u32>) {
    store_dst_word(i * 2u, bits.x);
    store_dst_word(i * 2u + 1u, bits.y);
}
