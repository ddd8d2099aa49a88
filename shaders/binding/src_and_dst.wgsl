// src and dst in two bindings that share no word.
//
// Provides: load_src_packet, load_dst_packet, store_dst_packet, load_src_word, store_dst_word,
//     load_contended_src_word, load_contended_dst_word, store_contended_dst_word, flip_contended_dst_bits
// Needs: src_packets, src_words, dst_packets, dst_words, dst_contended_words, words_of, packet_of
fn load_src_packet(i: u32) -> vec4<u32> {
    return words_of(src_packets[i]);
}

fn load_dst_packet(i: u32) -> vec4<u32> {
    return words_of(dst_packets[i]);
}

fn store_dst_packet(i: u32, p: vec4<u32>) {
    dst_packets[i] = packet_of(p, arrayLength(&dst_packets));
}

fn load_src_word(i: u32) -> u32 {
    return src_words[i];
}

fn store_dst_word(i: u32, w: u32) {
    dst_words[i] = w;
}

// Accesses to words in which other invocations may change other bits. src has no such words.

fn load_contended_src_word(i: u32) -> u32 {
    return src_words[i];
}

fn load_contended_dst_word(i: u32) -> u32 {
    return atomicLoad(&dst_contended_words[i]);
}

fn store_contended_dst_word(i: u32, w: u32) {
    atomicStore(&dst_contended_words[i], w);
}

fn flip_contended_dst_bits(i: u32, bits: u32) {
    atomicXor(&dst_contended_words[i], bits);
}
