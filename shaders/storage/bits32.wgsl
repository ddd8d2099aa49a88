// A 32-bit element is a word.
fn half_packet(h: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(element(h.x), element(h.y));
}

fn load_src(i: u32) -> u32 {
    return load_src_word(i);
}

fn store_dst(i: u32, bits: u32) {
    store_dst_word(i, bits);
}
