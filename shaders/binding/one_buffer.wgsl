// Placement: src and dst in one binding of one buffer, in place or disjoint. WGSL gives a binding one type per entry
// point, so the buffer is declared once per type.
//
// Provides: load_src_packet, load_dst_packet, store_dst_packet, load_src_word, store_dst_word,
//     load_contended_src_word, load_contended_dst_word, store_contended_dst_word, flip_contended_dst_bits
// Needs: Packet, words_of, packet_of
@group(0) @binding(1) var<storage, read_write> both_packets: array<Packet>;
@group(0) @binding(1) var<storage, read_write> both_words: array<u32>;
@group(0) @binding(1) var<storage, read_write> both_contended_words: array<atomic<u32>>;

fn load_src_packet(i: u32) -> vec4<u32> {
    return words_of(both_packets[i]);
}

fn load_dst_packet(i: u32) -> vec4<u32> {
    return words_of(both_packets[i]);
}

fn store_dst_packet(i: u32, p: vec4<u32>) {
    both_packets[i] = packet_of(p, arrayLength(&both_packets));
}

fn load_src_word(i: u32) -> u32 {
    return both_words[i];
}

fn store_dst_word(i: u32, w: u32) {
    both_words[i] = w;
}

// Accesses to words in which other invocations may change other bits.

fn load_contended_src_word(i: u32) -> u32 {
    return atomicLoad(&both_contended_words[i]);
}

fn load_contended_dst_word(i: u32) -> u32 {
    return atomicLoad(&both_contended_words[i]);
}

fn store_contended_dst_word(i: u32, w: u32) {
    atomicStore(&both_contended_words[i], w);
}

fn flip_contended_dst_bits(i: u32, bits: u32) {
    atomicXor(&both_contended_words[i], bits);
}
