// Four 8-bit elements to a word, each in the low bits of a u32 while it is worked on.
const ELEMENT_BYTES: u32 = 1u;
const LANES: u32 = 4u;      // elements in a unit
const UNIT_BYTES: u32 = 4u; // a word, or an element where that is larger

fn word(w: u32) -> u32 {
    return element(w & 0xffu)
        | (element((w >> 8u) & 0xffu) << 8u)
        | (element((w >> 16u) & 0xffu) << 16u)
        | (element(w >> 24u) << 24u);
}

fn half_packet(h: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(word(h.x), word(h.y));
}

// A packet of one element.
fn splat(bits: u32) -> vec4<u32> {
    return vec4<u32>(bits * 0x01010101u);
}

fn load_src(i: u32) -> u32 {
    return (load_shared_src_word(i >> 2u) >> ((i & 3u) << 3u)) & 0xffu;
}

// Neighbours in the word belong to other invocations: flip only the bits that change.
fn store_dst(i: u32, bits: u32) {
    let shift = (i & 3u) << 3u;
    let old = (load_shared_dst_word(i >> 2u) >> shift) & 0xffu;
    flip_shared_dst_bits(i >> 2u, (old ^ bits) << shift);
}
