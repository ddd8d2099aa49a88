// src and dst in bindings of their own, which share no word.
fn load_src_packet(i: u32) -> vec4<u32> {
    return words_of(src_packets[i]);
}

fn load_dst_packet(i: u32) -> vec4<u32> {
    return words_of(dst_packets[i]);
}

fn store_dst_packet(i: u32, packet: vec4<u32>) {
    dst_packets[i] = packet_of(packet);
}

fn load_src_word(i: u32) -> u32 {
    return src_words[i];
}

fn store_dst_word(i: u32, word: u32) {
    dst_words[i] = word;
}

// Words of which other invocations may be changing other bits.

fn load_shared_src_word(i: u32) -> u32 {
    return src_words[i];
}

fn load_shared_dst_word(i: u32) -> u32 {
    return atomicLoad(&dst_shared_words[i]);
}

fn store_shared_dst_word(i: u32, word: u32) {
    atomicStore(&dst_shared_words[i], word);
}

fn flip_shared_dst_bits(i: u32, bits: u32) {
    atomicXor(&dst_shared_words[i], bits);
}
