// A 64-bit element is two words, the low one first.
fn half_packet(h: vec2<u32>) -> vec2<u32> {
    return element(h);
}

fn load_src(i: u32) -> vec2<u32> {
    return vec2<u32>(load_src_word(i * 2u), load_src_word(i * 2u + 1u));
}

fn store_dst(i: u32, bits: vec2<u32>) {
    store_dst_word(i * 2u, bits.x);
    store_dst_word(i * 2u + 1u, bits.y);
}
