// Four 8-bit elements to a word, each in the low bits of a u32 while it is worked on.
const ELEMENT_BYTES: u32 = 1u;
const LANES: u32 = 4u;      // elements in a unit
const UNIT_BYTES: u32 = 4u; // a word, or an element where that is larger

fn word(w: u32) -> u32 {
    let y = elements((vec4<u32>(w) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu));
    return y.x | (y.y << 8u) | (y.z << 16u) | (y.w << 24u);
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
