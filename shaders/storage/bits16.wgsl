// Two 16-bit elements to a word, each in the low bits of a u32 while it is worked on.
const ELEMENT_BYTES: u32 = 2u;
const LANES: u32 = 2u;      // elements in a unit
const UNIT_BYTES: u32 = 4u; // a word, or an element where that is larger

fn word(w: u32) -> u32 {
    let y = elements(vec4<u32>(w & 0xffffu, w >> 16u, 0u, 0u));
    return y.x | (y.y << 16u);
}

// A packet of one element.
fn splat(bits: u32) -> vec4<u32> {
    return vec4<u32>(bits * 0x00010001u);
}

fn load_src(i: u32) -> u32 {
    return (load_shared_src_word(i >> 1u) >> ((i & 1u) << 4u)) & 0xffffu;
}

// The neighbour in the word belongs to another invocation: flip only the bits that change.
fn store_dst(i: u32, bits: u32) {
    let shift = (i & 1u) << 4u;
    let old = (load_shared_dst_word(i >> 1u) >> shift) & 0xffffu;
    flip_shared_dst_bits(i >> 1u, (old ^ bits) << shift);
}
