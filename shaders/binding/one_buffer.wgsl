// Placement: src and dst in one binding of one buffer, in place or disjoint. One element type per entry point, so the
// buffer is declared once for every way of reading it.
//
// Provides: load_src_packet, load_dst_packet, store_dst_packet, load_src_word, store_dst_word,
//     load_shared_src_word, load_shared_dst_word, store_shared_dst_word, flip_shared_dst_bits
// Needs: Packet, words_of, packet_of
@group(0) @binding(1) var<storage, read_write> packets: array<Packet>;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> shared_words: array<atomic<u32>>;

fn load_src_packet(i: u32) -> vec4<u32> {
    return words_of(packets[i]);
}

fn load_dst_packet(i: u32) -> vec4<u32> {
    return words_of(packets[i]);
}

fn store_dst_packet(i: u32, p: vec4<u32>) {
    packets[i] = packet_of(p);
}

fn load_src_word(i: u32) -> u32 {
    return words[i];
}

fn store_dst_word(i: u32, w: u32) {
    words[i] = w;
}

// Words of which other invocations may be changing other bits.

fn load_shared_src_word(i: u32) -> u32 {
    return atomicLoad(&shared_words[i]);
}

fn load_shared_dst_word(i: u32) -> u32 {
    return atomicLoad(&shared_words[i]);
}

fn store_shared_dst_word(i: u32, w: u32) {
    atomicStore(&shared_words[i], w);
}

fn flip_shared_dst_bits(i: u32, bits: u32) {
    atomicXor(&shared_words[i], bits);
}
